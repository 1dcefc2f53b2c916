export { ComparisonPage } from './ComparisonPage';
export { ComparisonsTable } from './ComparisonsTable';
export { comparisonsQuery, createComparison } from './queries';
export { readView, searchOf, viewOf, type ComparisonView } from './url';
