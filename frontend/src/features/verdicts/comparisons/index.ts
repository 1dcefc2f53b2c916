export { comparisonSnapshotRequests } from './comparison-snapshot-requests';
export { ComparisonPage } from './ComparisonPage';
export { splitCaveats } from './Caveats';
export { ComparisonFindings } from './LazyFindings';
export { ComparisonsTable } from './ComparisonsTable';
export {
  assignComparison,
  comparedCommitsQuery,
  comparisonQuery,
  createComparison,
} from './comparison-queries';
export { readView, searchOf, viewOf, type ComparisonView } from './comparison-url';
export { readComparisonsSearch } from './comparisons-url';
