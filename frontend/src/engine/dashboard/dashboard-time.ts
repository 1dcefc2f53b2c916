/** Times of the dashboard: ticks at round times, and times as text, in the user's time zone. */
import type { PanelGap } from '../../api/api-types';
import { roundMoments } from '../../lib/wall-times';
import * as times from '../../lib/times';
import { LATE_MS, spanOf, timeAt, type TimeGrid, type TimeSpan } from './time-grid';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const TICK_STEPS = [
  SECOND,
  5 * SECOND,
  15 * SECOND,
  30 * SECOND,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  7 * DAY,
];

/** Returns the position of a time: 0 at the start of the span, 1 at its end, or beyond these. */
export const shareOf = (span: TimeSpan, atMs: number): number =>
  (atMs - span.fromMs) / Math.max(1, span.toMs - span.fromMs);

type TimeTick = { atMs: number; text: string };

/** Returns round times within the span, at least `leastPx` apart on `widthPx`. */
export function timeTicks(span: TimeSpan, widthPx: number, leastPx = 64): TimeTick[] {
  const length = span.toMs - span.fromMs;
  if (length <= 0 || widthPx <= 0) return [];
  const wanted = (length * leastPx) / widthPx;
  const step = TICK_STEPS.find((each) => each >= wanted) ?? Math.ceil(wanted / DAY) * DAY;
  const ticks: TimeTick[] = [];
  for (const at of roundMoments(span.fromMs, span.toMs, step))
    ticks.push({ atMs: at, text: tickText(at, step) });
  return ticks;
}

export const dayText = times.dayText;

/** Formats a time of day: "14:02", or "14:02:15" if the step is below a minute. */
export const clockText = (atMs: number, stepMs = MINUTE): string =>
  times.clockText(atMs, stepMs < MINUTE && atMs % MINUTE !== 0);

function tickText(atMs: number, stepMs: number): string {
  return stepMs >= DAY || (stepMs >= HOUR && times.wallMs(atMs) % DAY === 0)
    ? dayText(atMs)
    : clockText(atMs, stepMs);
}

/** Formats a time, with its day if the span is longer than a day. */
export function momentText(atMs: number, span: TimeSpan, stepMs = MINUTE): string {
  const clock = clockText(atMs, stepMs);
  return span.toMs - span.fromMs > DAY ? `${dayText(atMs)} ${clock}` : clock;
}

/** Formats a selected time range: "15:48 to 16:21 · 33 min". */
export function selectionText({ fromMs, toMs }: TimeSpan, span: TimeSpan, stepMs: number): string {
  const [from, to] = [momentText(fromMs, span, stepMs), momentText(toMs, span, stepMs)];
  return `${from} to ${to} · ${lengthText(toMs - fromMs)}`;
}

/** Formats the reason of a gap: "no requests", or with its start "no samples since 14:02". */
export const gapText = ({ reason, from_ms }: PanelGap, span: TimeSpan): string =>
  reason.endsWith(' since') ? `${reason} ${momentText(from_ms, span)}` : reason;

/** Returns "last at 14:02" for a value long before the end of the grid, otherwise "". */
export function lastText(grid: TimeGrid, index: number): string {
  const behind = (grid.points - 1 - index) * grid.stepMs;
  return behind > Math.max(LATE_MS, 2 * grid.stepMs)
    ? `last at ${momentText(timeAt(grid, index), spanOf(grid))}`
    : '';
}

/** Returns "Wed 18 Nov, 12:00 to 16:00 CET" or "Tue 17 Nov 18:00 to Wed 18 Nov 18:00 CET". */
export function rangeText({ fromMs, toMs }: TimeSpan): string {
  const sameDay = times.dayNumber(fromMs) === times.dayNumber(toMs - 1);
  const end = times.wallMs(toMs) % DAY === 0 && sameDay ? '24:00' : clockText(toMs);
  const zone = times.zoneText(toMs);
  return sameDay
    ? `${dayText(fromMs)}, ${clockText(fromMs)} to ${end} ${zone}`
    : `${dayText(fromMs)} ${clockText(fromMs)} to ${dayText(toMs)} ${clockText(toMs)} ${zone}`;
}

/** Formats a start time: "14:02" in the last 20 hours, "Tue" in the last six days, else "2 Nov". */
export function sinceText(atMs: number, nowMs: number): string {
  const age = nowMs - atMs;
  if (age < 20 * HOUR) return clockText(atMs);
  const [weekday = '', number = '', month = ''] = dayText(atMs).split(' ');
  return age < 6 * DAY ? weekday : `${number} ${month}`;
}

/** Returns "15 s behind", "4 min behind", "2 h behind". */
export function behindText(behindMs: number): string {
  const seconds = Math.max(0, Math.round(behindMs / SECOND));
  if (seconds < 120) return `${seconds} s behind`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min behind`;
  return `${Math.round(seconds / 3600)} h behind`;
}

/** Formats a duration: "4 h", "90 min", "30 s". */
export function lengthText(lengthMs: number): string {
  if (lengthMs < 2 * MINUTE) return `${Math.round(lengthMs / SECOND)} s`;
  if (lengthMs < 2 * HOUR) return `${Math.round(lengthMs / MINUTE)} min`;
  if (lengthMs < 2 * DAY) return `${Math.round(lengthMs / HOUR)} h`;
  return `${Math.round(lengthMs / DAY)} days`;
}
