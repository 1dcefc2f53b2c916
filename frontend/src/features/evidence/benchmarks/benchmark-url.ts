/** The URL parameters of the benchmarks: the order of their tables. '' = the order of the data. */
import * as z from 'zod/mini';
import type { Sort } from '../../../ui';

export const BENCHMARK_COLUMNS = ['name', 'change', 'p'] as const;
export type BenchmarkView = { sort: Sort };

const field = <T extends z.ZodMiniType>(type: T) => z.catch(z.optional(type), undefined);
export const benchmarkFields = {
  bsort: field(z.enum(BENCHMARK_COLUMNS)),
  basc: field(z.literal(true)),
};
type Search = { bsort?: (typeof BENCHMARK_COLUMNS)[number]; basc?: true };

export const benchmarkViewOf = (search: Search): BenchmarkView => ({
  sort: { column: search.bsort ?? 'change', descending: !search.basc },
});

export const benchmarkSearchOf = ({ sort }: BenchmarkView): Search => ({
  bsort: sort.column === 'change' ? undefined : (sort.column as Search['bsort']),
  basc: sort.descending ? undefined : true,
});
