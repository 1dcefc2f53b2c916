export { comparisonSnapshotRequests } from './comparison-snapshot-requests';
export { ComparisonPage } from './ComparisonPage';
export { splitCaveats } from './Caveats';
export { ComparisonFindings } from './findings/LazyFindings';
export { ComparisonsTable } from './list/ComparisonsTable';
export {
  assignComparison,
  comparedCommitsQuery,
  comparisonQuery,
  createComparison,
} from './shared/comparison-queries';
export { readView, searchOf, viewOf, type ComparisonView } from './shared/comparison-url';
export { readComparisonsSearch } from './shared/comparisons-url';
