/** Proposes, checks and compares two time ranges of a service's metrics. */
import { calls, type SideIn } from '../../../api';
import type { DashboardRow } from '../../../engine/dashboard/dashboard-file';
import { lengthText, momentText } from '../../../engine/dashboard/dashboard-time';
import { type TimeSpan } from '../../../engine/dashboard/time-grid';

export type SelectedRange = TimeSpan & { service: { id: string; name: string } };

const WEEK_MS = 7 * 86_400_000;
/** The longest time range that the server accepts. */
const WINDOW_MOST_MS = WEEK_MS;

/** Returns the range of the same length directly before. */
export const earlierRange = (chosen: SelectedRange): SelectedRange => ({
  ...chosen,
  fromMs: 2 * chosen.fromMs - chosen.toMs,
  toMs: chosen.fromMs,
});
export const earlierWeek = (chosen: SelectedRange): SelectedRange => ({
  ...chosen,
  fromMs: chosen.fromMs - WEEK_MS,
  toMs: chosen.toMs - WEEK_MS,
});

/** Returns why the time ranges of a row cannot be compared, or null. A mean has no quantiles. */
export function explainUnavailableRange({ latency }: Pick<DashboardRow, 'latency'>): string | null {
  return latency.histogram === 'none' || latency.histogram === 'mean'
    ? 'No latency histogram is received.'
    : null;
}

/** Returns why two time ranges cannot be compared, or null. */
export function explainInvalidRange(base: SelectedRange, candidate: SelectedRange): string | null {
  const same = base.service.id === candidate.service.id;
  if (same && base.fromMs < candidate.toMs && candidate.fromMs < base.toMs)
    return 'The time ranges overlap. Choose a range that does not.';
  return explainLongRange(base) ?? explainLongRange(candidate);
}

/** Returns why a time range is too long for a comparison, or null. */
export function explainLongRange({ fromMs, toMs }: TimeSpan): string | null {
  return toMs - fromMs > WINDOW_MOST_MS
    ? `A time range can be at most ${lengthText(WINDOW_MOST_MS)} long. Choose a shorter one.`
    : null;
}

/** Formats a range, such as "14:02 to 14:20", with days if both ranges are not within one day. */
export function rangeLabel({ fromMs, toMs }: TimeSpan, beside: TimeSpan): string {
  const all = {
    fromMs: Math.min(fromMs, beside.fromMs),
    toMs: Math.max(toMs, beside.toMs),
  };
  return `${momentText(fromMs, all)} to ${momentText(toMs, all)}`;
}

/** Creates the comparison and returns its ID. */
export async function compareRanges(
  environment_id: string,
  base: SelectedRange,
  candidate: SelectedRange,
): Promise<string> {
  const side = (chosen: SelectedRange, beside: SelectedRange): SideIn => ({
    artifact_ids: [],
    label: rangeLabel(chosen, beside),
    time_range: {
      service_id: chosen.service.id,
      environment_id,
      from: new Date(chosen.fromMs).toISOString(),
      to: new Date(chosen.toMs).toISOString(),
    },
  });
  const services = [...new Set([base.service.name, candidate.service.name])].join(' and ');
  const made = await calls.comparisonsCreate({
    body: {
      name: `${services}, ${rangeLabel(base, candidate)} vs. ${rangeLabel(candidate, base)}`,
      base: side(base, candidate),
      candidate: side(candidate, base),
    },
  });
  return made.id;
}
