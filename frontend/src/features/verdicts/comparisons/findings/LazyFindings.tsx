/** The findings, loaded when another page first shows them. */
import { Suspense, lazy } from 'react';
import type { ComparisonFindingsProps } from './ComparisonFindings';

const List = lazy(() => import('./ComparisonFindings'));

export const ComparisonFindings = (props: ComparisonFindingsProps) => (
  <Suspense fallback={null}>
    <List {...props} />
  </Suspense>
);
