/** The parts of this feature, each loaded when it is first shown. */
import { Suspense, lazy } from 'react';
import type { InboxPageProps } from './InboxPage';

const Page = lazy(() => import('./InboxPage'));

export const InboxPage = (props: InboxPageProps) => (
  <Suspense fallback={null}>
    <Page {...props} />
  </Suspense>
);
