/** Two stretches of a service's metrics on the sides of a comparison: which the base of a chosen window can be, and how it is asked. */
import { calls } from '../../api';
import type { BoardRow } from '../../engine/board-file';
import { lengthText, momentText, type TimeSpan } from '../../engine/board-time';

export type Chosen = TimeSpan & { service: { id: string; name: string } };

const WEEK_MS = 7 * 86_400_000;
/** What the server takes of one window. */
const WINDOW_MOST_MS = WEEK_MS;

/** As long before it as it is itself. */
export const before = (chosen: Chosen): Chosen => ({
  ...chosen,
  fromMs: 2 * chosen.fromMs - chosen.toMs,
  toMs: chosen.fromMs,
});
export const weekBefore = (chosen: Chosen): Chosen => ({
  ...chosen,
  fromMs: chosen.fromMs - WEEK_MS,
  toMs: chosen.toMs - WEEK_MS,
});

/** Why no window of a row can be compared, or null: what is only read through is not kept, and a mean has no quantiles. */
export function whyNoWindow({
  source,
  latency,
}: Pick<BoardRow, 'source' | 'latency'>): string | null {
  if (source) return `It is read through ${source.name}: nothing of it is kept to be compared.`;
  return latency.histogram === 'none' || latency.histogram === 'mean'
    ? 'No histogram of its latency comes in.'
    : null;
}

/** Why two windows can not be compared, or null. */
export function whyNot(base: Chosen, candidate: Chosen): string | null {
  const same = base.service.id === candidate.service.id;
  if (same && base.fromMs < candidate.toMs && candidate.fromMs < base.toMs)
    return 'The windows overlap: some requests would lie in both. Drag over another part.';
  const longest = Math.max(base.toMs - base.fromMs, candidate.toMs - candidate.fromMs);
  return longest > WINDOW_MOST_MS
    ? `A window has ${lengthText(WINDOW_MOST_MS)} at most; this one has ${lengthText(longest)}.`
    : null;
}

/** "14:02 to 14:20", with days where it is not within one. */
export function windowText({ fromMs, toMs }: TimeSpan, beside: TimeSpan): string {
  const all = {
    fromMs: Math.min(fromMs, beside.fromMs),
    toMs: Math.max(toMs, beside.toMs),
  };
  return `${momentText(fromMs, all)} to ${momentText(toMs, all)}`;
}

/** Asks for the comparison; gives its id. */
export async function compareWindows(
  environment_id: string,
  base: Chosen,
  candidate: Chosen,
): Promise<string> {
  const side = (chosen: Chosen, beside: Chosen) => ({
    artifact_ids: [],
    label: windowText(chosen, beside),
    window: {
      service_id: chosen.service.id,
      environment_id,
      from: new Date(chosen.fromMs).toISOString(),
      to: new Date(chosen.toMs).toISOString(),
    },
  });
  const services = [...new Set([base.service.name, candidate.service.name])].join(' and ');
  const made = await calls.comparisonsAsk({
    body: {
      name: `${services}, ${windowText(base, candidate)} against ${windowText(candidate, base)}`,
      base: side(base, candidate),
      candidate: side(candidate, base),
    },
  });
  return made.id;
}
