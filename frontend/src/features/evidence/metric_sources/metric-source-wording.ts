/** Texts of sources and imports. */
import type { Job, MetricSource, SourceCheckOut } from '../../../api';
import { clockText, dateText, zoneText } from '../../../lib/times';
import { countOf, countText } from '../../../ui';

const minuteText = (at_ms: number): string => `${dateText(at_ms)} ${clockText(at_ms)}`;

/** Formats an interval: "14 Nov 2026 09:12 to 21 Nov 2026 09:12 CET". */
export const intervalText = (from_ms: number, to_ms: number): string =>
  `${minuteText(from_ms)} to ${minuteText(to_ms)} ${zoneText(to_ms)}`;

type Ended = NonNullable<MetricSource['last_import']>;

/** Describes an import: "12 names, 340 series, 1,204,000 samples"; '' if it failed. */
export function importedText({ state, names, series, samples }: Ended): string {
  if (state !== 'done') return '';
  if (!names) return 'no known metric names found';
  return `${countOf(names, 'name')}, ${countOf(series ?? 0, 'series', 'series')}, ${countOf(samples ?? 0, 'sample')}`;
}

type Coarser = NonNullable<Ended['downsampled']>;

/** Describes coarser samples: "3 names downsampled to 60 s: http_requests_total, up and 1 more". */
export function coarserText({ count, names, step_s }: Coarser): string {
  const more = count > names.length ? ` and ${countText(count - names.length)} more` : '';
  return `${countOf(count, 'name')} downsampled to ${countText(step_s)} s: ${names.join(', ')}${more}`;
}

/** Formats labels, such as "job=checkout, namespace=shop". */
export const labelsText = (equal: Record<string, string>): string =>
  Object.entries(equal)
    .map(([label, value]) => `${label}=${value}`)
    .join(', ');

export function checkText({ version, names, recognized_names: usual }: SourceCheckOut): string {
  const who = version === null ? 'connected, version unknown' : `connected, version ${version}`;
  const had = `${countOf(names, 'name')} in the last hour`;
  if (usual.length === 0) return `${who} · ${had}, none of them known`;
  return `${who} · ${had}, ${countText(usual.length)} would be imported`;
}

export function stepText(job: Job): string {
  if (job.cancel_requested) return 'cancelling';
  if (job.state === 'running') return job.step || 'started';
  if (job.attempts === 0) return 'waiting to start';
  return `waiting for attempt ${job.attempts + 1} of ${job.max_attempts}`;
}

export const RANGES = [
  { value: '24h', label: '24 h', hours: 24 },
  { value: '7d', label: '7 d', hours: 7 * 24 },
  { value: '30d', label: '30 d', hours: 30 * 24 },
] as const;
export type RangeId = (typeof RANGES)[number]['value'] | 'own';

/** Returns the interval of a range that ends now, in the format of the API. */
export function rangeOf(id: Exclude<RangeId, 'own'>, now_ms: number): { from: string; to: string } {
  const { hours } = RANGES.find(({ value }) => value === id)!;
  const text = (at_ms: number) => new Date(at_ms).toISOString();
  return { from: text(now_ms - hours * 3_600_000), to: text(now_ms) };
}
