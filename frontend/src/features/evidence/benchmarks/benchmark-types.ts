/** Types of the document that compares `go test -bench` output of two sides, as benchstat does. */
import type { BenchmarkPage } from '../../../api';
import { requireFormat } from '../../../lib/document-format';

export type {
  BenchmarkPage as BenchmarkDocument,
  BenchmarkPageRow as BenchmarkRow,
  BenchmarkSide as BenchmarkSummary,
} from '../../../api';

/** @throws Error with a readable message when the response has another format. */
export const readBenchmarks = (response: unknown): BenchmarkPage =>
  requireFormat<BenchmarkPage>(response, 'slowpath.benchmark-comparison/1', 'benchmarks');
