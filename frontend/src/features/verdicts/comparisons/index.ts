export { comparisonSnapshotRequests } from './comparison-snapshot-requests';
export { ComparisonPage } from './ComparisonPage';
export { ComparisonsTable } from './ComparisonsTable';
export { comparedCommitsQuery, comparisonQuery, createComparison } from './comparison-queries';
export { readView, searchOf, viewOf, type ComparisonView } from './comparison-url';
