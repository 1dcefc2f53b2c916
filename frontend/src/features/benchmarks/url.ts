/** What a link restores of the benchmarks: the order of their table. '' = as the files have them, by unit. */
import * as z from 'zod/mini';
import type { Sort } from '../../ui';

export const BENCH_COLUMNS = ['name', 'change', 'p'] as const;
export type BenchView = { sort: Sort };
export const USUAL_BENCH_VIEW: BenchView = { sort: { column: 'change', descending: true } };

const field = <T extends z.ZodMiniType>(type: T) => z.catch(z.optional(type), undefined);
export const benchFields = {
  bsort: field(z.enum(BENCH_COLUMNS)),
  basc: field(z.literal(true)),
};
type Search = { bsort?: (typeof BENCH_COLUMNS)[number]; basc?: true };

export const benchViewOf = (search: Search): BenchView => ({
  sort: { column: search.bsort ?? 'change', descending: !search.basc },
});

export const benchSearchOf = ({ sort }: BenchView): Search => ({
  bsort: sort.column === 'change' ? undefined : (sort.column as Search['bsort']),
  basc: sort.descending ? undefined : true,
});
