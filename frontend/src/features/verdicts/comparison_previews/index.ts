export { ComparePage } from './LazyCompare';
export {
  choiceOf,
  compareSearchOf,
  formatSource,
  readCompareSearch,
  type CompareSearch,
} from './compare-url';
