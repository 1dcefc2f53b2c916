export { BenchmarksSection } from './LazyBenchmarks';
export {
  BENCHMARK_COLUMNS,
  benchmarkFields,
  benchmarkSearchOf,
  benchmarkViewOf,
  type BenchmarkView,
} from './benchmark-url';
