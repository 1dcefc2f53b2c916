/** The parts of this feature, each loaded when it is first shown. */
import { Suspense, lazy } from 'react';
import type { InboxItemRef } from '../../../api';
import type { AssignItemProps } from './AssignItem';
import type { InboxPageProps } from './InboxPage';
import type { ItemActionsProps } from './ItemActions';

const Page = lazy(() => import('./InboxPage'));
const Assign = lazy(() => import('./AssignItem'));
const Actions = lazy(() => import('./ItemActions'));
const Mark = lazy(() => import('./ReadMark'));

export const InboxPage = (props: InboxPageProps) => (
  <Suspense fallback={null}>
    <Page {...props} />
  </Suspense>
);
export const ItemActions = (props: ItemActionsProps) => (
  <Suspense fallback={null}>
    <Actions {...props} />
  </Suspense>
);
export const AssignItem = (props: AssignItemProps) => (
  <Suspense fallback={null}>
    <Assign {...props} />
  </Suspense>
);
export const ReadMark = (props: InboxItemRef) => (
  <Suspense fallback={null}>
    <Mark {...props} />
  </Suspense>
);
