export { behindComparison } from './behind';
export { ComparisonPage } from './ComparisonPage';
export { ComparisonsTable } from './ComparisonsTable';
export { comparisonQuery, comparisonsQuery, createComparison } from './queries';
export { readView, searchOf, viewOf, type ComparisonView } from './url';
