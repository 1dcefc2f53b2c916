/**
 * The only place where times become words. All are in one time zone: that of the signed-in person, or the browser's.
 * A change of the zone draws all pages again (see `app/Shell.tsx`).
 */
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

type Parts = Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', number>;
type Moment = Date | number | string;

let chosen: string | undefined;
const listeners = new Set<() => void>();
const formats = new Map<string, Intl.DateTimeFormat>();

/** The chosen zone's IANA name; undefined is the browser's. */
export const chosenTimeZone = (): string | undefined => chosen;
export const browserTimeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;
export const timeZone = (): string => chosen ?? browserTimeZone();

/** A name that this browser does not know is ignored: then its own zone is used. */
export function setTimeZone(name: string | null): void {
  const next = name !== null && isTimeZone(name) ? name : undefined;
  if (next === chosen) return;
  chosen = next;
  formats.clear();
  for (const listener of listeners) listener();
}

export function onTimeZone(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) instanceof Intl.DateTimeFormat;
  } catch {
    return false;
  }
}

function format(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify(options);
  let found = formats.get(key);
  if (!found) {
    found = new Intl.DateTimeFormat('en-GB', { timeZone: chosen, ...options });
    formats.set(key, found);
  }
  return found;
}

const msOf = (at: Moment): number => (typeof at === 'number' ? at : new Date(at).getTime());

/** The calendar and the clock of the zone at a moment. */
export function wallTime(at: Moment): Parts {
  const parts: Parts = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0 };
  const wanted = format({
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
    hourCycle: 'h23',
  });
  for (const { type, value } of wanted.formatToParts(msOf(at)))
    if (type in parts) parts[type as keyof Parts] = Number(value);
  return parts;
}

/** How far the zone's clock is ahead of UTC at a moment, in milliseconds. */
export function offsetMs(at: Moment): number {
  const ms = Math.floor(msOf(at) / 1000) * 1000;
  const { year, month, day, hour, minute, second } = wallTime(ms);
  return Date.UTC(year, month - 1, day, hour, minute, second) - ms;
}

/**
 * The moment at which the zone's clock shows a time, given as if it were UTC. A time that the clock skips becomes the
 * later one, of a time that it shows twice the first is meant.
 */
export function momentOf(wallMs: number): number {
  const [before, after] = [offsetMs(wallMs - DAY_MS), offsetMs(wallMs + DAY_MS)];
  const early = wallMs - before;
  if (offsetMs(early) === before) return early;
  const late = wallMs - after;
  return offsetMs(late) === after ? late : early;
}

/** The wall clock as if it were UTC: midnights are whole days of it. */
export const wallMs = (at: Moment): number => msOf(at) + offsetMs(at);

/** The number of the day that a moment is on; days differ by 1, also where one has 23 or 25 hours. */
export const dayNumber = (at: Moment): number => Math.floor(wallMs(at) / DAY_MS);

/** "14:02", with `seconds` "14:02:15". */
export const clockText = (at: Moment, seconds = false): string =>
  format({
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    ...(seconds && { second: '2-digit' }),
  }).format(msOf(at));

/** "Wed 18 Nov". */
export const dayText = (at: Moment): string =>
  format({ weekday: 'short', day: 'numeric', month: 'short' }).format(msOf(at)).replace(',', '');

/** "18 Nov 2026". */
export const dateText = (at: Moment): string =>
  format({ day: 'numeric', month: 'short', year: 'numeric' }).format(msOf(at));

/** "Wednesday, 18 November 2026". */
export const longDateText = (at: Moment): string =>
  format({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }).format(msOf(at));

/** "Wed 18 Nov 14:02". */
export const momentText = (at: Moment): string => `${dayText(at)} ${clockText(at)}`;

/** The zone's short name at a moment: "CET", "GMT-5", "UTC". */
export const zoneText = (at: Moment): string => zonePart(at, 'short');

/** "18 Nov 2026 14:02:15, Central European Standard Time (Europe/Berlin)". */
export const fullTimeText = (at: Moment): string =>
  `${dateText(at)} ${clockText(at, true)}, ${zonePart(at, 'long')} (${timeZone()})`;

function zonePart(at: Moment, timeZoneName: 'short' | 'long'): string {
  const parts = format({ timeZoneName, hour: 'numeric' }).formatToParts(msOf(at));
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? timeZone();
}

/** "2026-11-18T14:02", as fields of a date and time have it. */
export const fieldText = (at: Moment): string => new Date(wallMs(at)).toISOString().slice(0, 16);

/** The moment of a field's text; NaN if it is not complete. */
export function fieldTime(text: string): number {
  const wall = Date.parse(`${text}Z`);
  return Number.isNaN(wall) ? NaN : momentOf(wall);
}

/** The zone's short name at the moment of a field; at the present where the field is empty. */
export function fieldZone(text: string): string {
  const at = fieldTime(text);
  return zoneText(Number.isNaN(at) ? Date.now() : at);
}

/** The first moment of a day of the zone, "2026-11-18", and of days after it. */
export const startOfDay = (day: string, daysLater = 0): number =>
  momentOf(Date.parse(`${day}T00:00Z`) + daysLater * DAY_MS);

/** Round moments of the zone's clock from one time to another, `stepMs` apart where the clock does not change. */
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
