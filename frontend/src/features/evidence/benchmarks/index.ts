export { BenchmarksSection } from './LazyBenchmarks';
export {
  BENCHMARK_COLUMNS,
  DEFAULT_BENCHMARK_VIEW,
  benchmarkFields,
  benchmarkSearchOf,
  benchmarkViewOf,
  type BenchmarkView,
} from './benchmark-url';
