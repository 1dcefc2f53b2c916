export { BenchmarksSection } from './Lazy';
export {
  BENCH_COLUMNS,
  USUAL_BENCH_VIEW,
  benchFields,
  benchSearchOf,
  benchViewOf,
  type BenchView,
} from './url';
