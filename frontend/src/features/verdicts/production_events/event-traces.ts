/** The slowest traces that were recorded during an event. */
import { queryOptions } from '@tanstack/react-query';
import { calls } from '../../../api';
import type { ProductionEvent } from '../../../api';

type TraceRow = NonNullable<Awaited<ReturnType<typeof calls.spanSetsTraces>>>['items'][number];
export type SlowTrace = TraceRow & { setId: string };
/** `sets`: the newest span sets that overlap the event; `total` may be more. */
export type SlowTraces = { sets: string[]; total: number; traces: SlowTrace[] };

/** So many sets are searched, and so many of the longest traces of each. */
const SETS_MOST = 4;
const READ_MOST = 50;
const SHOWN_MOST = 5;
const NS_PER_MS = 1e6;

/** The longest traces of several sets that began in a range. */
export function slowestOf(
  traces: readonly SlowTrace[],
  { fromMs, toMs }: { fromMs: number; toMs: number },
): SlowTrace[] {
  return traces
    .filter(({ start_ns }) => start_ns >= fromMs * NS_PER_MS && start_ns <= toMs * NS_PER_MS)
    .toSorted((a, b) => b.duration_ns - a.duration_ns)
    .slice(0, SHOWN_MOST);
}

export const eventTracesQuery = ({ item, range }: Pick<ProductionEvent, 'item' | 'range'>) => {
  // Traces from before the event began are not evidence of it.
  const from = item.since_at ?? range.from;
  return queryOptions({
    queryKey: ['production-event', 'traces', range.environment_id, from, range.to],
    queryFn: async ({ signal }): Promise<SlowTraces> => {
      const query = { environment_id: range.environment_id, from, to: range.to };
      const sets = await calls.spanSetsList({ query, signal });
      const searched = sets.slice(0, SETS_MOST);
      const pages = await Promise.all(
        searched.map(async ({ id }) => {
          const path = { artifact_id: id };
          const { items } = await calls.spanSetsTraces({
            path,
            query: { order: 'duration', limit: READ_MOST },
            signal,
          });
          return items.map((trace) => ({ ...trace, setId: id }));
        }),
      );
      const span = { fromMs: Date.parse(from), toMs: Date.parse(range.to) };
      return {
        sets: searched.map(({ id }) => id),
        total: sets.length,
        traces: slowestOf(pages.flat(), span),
      };
    },
  });
};
