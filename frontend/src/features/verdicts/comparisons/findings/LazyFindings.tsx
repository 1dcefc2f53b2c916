/** Loads the list of findings when another page first shows it. */
import { Suspense, lazy } from 'react';
import type { ComparisonFindingsProps } from './ComparisonFindings';

const List = lazy(() => import('./ComparisonFindings'));

export const ComparisonFindings = (props: ComparisonFindingsProps) => (
  <Suspense fallback={null}>
    <List {...props} />
  </Suspense>
);
