export { BenchmarksSection } from './Lazy';
export { USUAL_BENCH_VIEW, benchFields, benchSearchOf, benchViewOf, type BenchView } from './url';
