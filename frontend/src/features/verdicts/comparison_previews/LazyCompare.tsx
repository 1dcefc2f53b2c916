/** Loads the page when it is first shown. */
import { Suspense, lazy } from 'react';
import { PageHeader } from '../../../ui';
import type { ComparePageProps } from './ComparePage';

const Page = lazy(() => import('./ComparePage'));

export const ComparePage = (props: ComparePageProps) => (
  <Suspense fallback={<PageHeader title="Compare" />}>
    <Page {...props} />
  </Suspense>
);
