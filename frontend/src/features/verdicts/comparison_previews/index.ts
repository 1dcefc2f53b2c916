export { ComparePage } from './LazyCompare';
export { choiceOf, compareSearchOf, readCompareSearch, searchOfSources } from './compare-url';
export { evidenceText } from './preview-wording';
export { sourceOfSide } from './side-choice';
