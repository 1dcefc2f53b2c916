/** Queries of the slowest traces of an event, and of those before it for comparison. */
import { queryOptions } from '@tanstack/react-query';
import { calls } from '../../../api';
import type { ProductionEvent } from '../../../api';

type TraceRow = NonNullable<Awaited<ReturnType<typeof calls.spanSetsTraces>>>['items'][number];
export type SlowTrace = TraceRow & { setId: string };
/** `sets`: the newest span sets that overlap a time range; `total` may be more. */
export type SlowTraces = { sets: string[]; total: number; traces: SlowTrace[] };
type EventTraceSides = { after: SlowTraces; before: SlowTraces };

/**
 * The maximum number of sets that are searched for each side, and of the longest traces that are
 * read from each.
 */
const SETS_MOST = 4;
const READ_MOST = 50;
const SHOWN_MOST = 5;
const NS_PER_MS = 1e6;

type TimeSpan = { fromMs: number; toMs: number };

/** Returns the longest traces of several sets that began in a range. */
export function slowestOf(traces: readonly SlowTrace[], { fromMs, toMs }: TimeSpan): SlowTrace[] {
  return traces
    .filter(({ start_ns }) => start_ns >= fromMs * NS_PER_MS && start_ns < toMs * NS_PER_MS)
    .toSorted((a, b) => b.duration_ns - a.duration_ns)
    .slice(0, SHOWN_MOST);
}

/**
 * Returns the time ranges before and after the beginning of an event. Both have the same length: a
 * longer one has longer traces by chance alone.
 */
export function spansOf({ item, range }: Pick<ProductionEvent, 'item' | 'range'>) {
  const startMs = Date.parse(item.since_at ?? range.from);
  const endMs = Date.parse(range.to);
  return {
    after: { fromMs: startMs, toMs: endMs },
    before: { fromMs: 2 * startMs - endMs, toMs: startMs },
  };
}

async function readSlowest(
  environment_id: string,
  span: TimeSpan,
  signal: AbortSignal,
): Promise<SlowTraces> {
  const time = (ms: number) => new Date(ms).toISOString();
  const query = { environment_id, from: time(span.fromMs), to: time(span.toMs) };
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
  return {
    sets: searched.map(({ id }) => id),
    total: sets.length,
    traces: slowestOf(pages.flat(), span),
  };
}

export const eventTracesQuery = (event: Pick<ProductionEvent, 'item' | 'range'>) => {
  const { environment_id } = event.range;
  const { after, before } = spansOf(event);
  return queryOptions({
    queryKey: ['production-event', 'traces', environment_id, after],
    queryFn: async ({ signal }): Promise<EventTraceSides> => {
      const [found, former] = await Promise.all([
        readSlowest(environment_id, after, signal),
        readSlowest(environment_id, before, signal),
      ]);
      return { after: found, before: former };
    },
  });
};
