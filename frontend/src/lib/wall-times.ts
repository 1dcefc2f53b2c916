/** Converts wall clock times of the shown zone to moments, for form fields, days and axes. */
import { offsetMs, wallMs, zoneText, type Moment } from './times';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/**
 * Returns the moment at which the zone's wall clock shows a time, which is given as if it were UTC.
 * A time that the clock skips gives the later moment; a time that it shows twice gives the first.
 */
export function momentOf(wall: number): number {
  const [before, after] = [offsetMs(wall - DAY_MS), offsetMs(wall + DAY_MS)];
  const early = wall - before;
  if (offsetMs(early) === before) return early;
  const late = wall - after;
  return offsetMs(late) === after ? late : early;
}

/** Formats a moment as fields of a date and time do: "2026-11-18T14:02". */
export const fieldText = (at: Moment): string => new Date(wallMs(at)).toISOString().slice(0, 16);

/** Parses the text of a field; returns NaN if it is not complete. */
export function fieldTime(text: string): number {
  const wall = Date.parse(`${text}Z`);
  return Number.isNaN(wall) ? NaN : momentOf(wall);
}

/**
 * Returns the zone's short name at the moment of a field; at the current time if the field is
 * empty.
 */
export function fieldZone(text: string): string {
  const at = fieldTime(text);
  return zoneText(Number.isNaN(at) ? Date.now() : at);
}

/** Returns the first moment of a day of the zone, "2026-11-18", or of a later day. */
export const startOfDay = (day: string, daysLater = 0): number =>
  momentOf(Date.parse(`${day}T00:00Z`) + daysLater * DAY_MS);

/**
 * Returns the round wall clock times from one moment to another, `stepMs` apart unless the clock
 * changes.
 */
export function roundMoments(fromMs: number, toMs: number, stepMs: number): number[] {
  const found: number[] = [];
  if (stepMs <= 5 * MINUTE_MS) {
    // Offsets of zones are multiples of five minutes.
    for (let at = Math.ceil(fromMs / stepMs) * stepMs; at <= toMs; at += stepMs) found.push(at);
    return found;
  }
  for (let wall = Math.ceil(wallMs(fromMs) / stepMs) * stepMs; ; wall += stepMs) {
    const at = momentOf(wall);
    if (at > toMs) return found;
    if (at >= fromMs && at > (found[found.length - 1] ?? -Infinity)) found.push(at);
  }
}
