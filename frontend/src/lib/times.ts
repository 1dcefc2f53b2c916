/**
 * Formats all times. They are in one time zone: that of the signed-in user, or the browser's. Pages
 * are rendered again when the zone changes (see `app/Shell.tsx`).
 */
const DAY_MS = 86_400_000;

type Parts = Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', number>;
export type Moment = Date | number | string;

/** The IANA name of the chosen zone; undefined means the browser's zone. */
let chosen: string | undefined;
const listeners = new Set<() => void>();
const formats = new Map<string, Intl.DateTimeFormat>();

export const browserTimeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;
export const timeZone = (): string => chosen ?? browserTimeZone();

/**
 * Sets the zone. A name that this browser does not know is ignored, and the browser's zone is used.
 */
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

/** Returns the date and the wall clock of the zone at a moment. */
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

/** Returns how far the zone is ahead of UTC at a moment, in milliseconds. */
export function offsetMs(at: Moment): number {
  const ms = Math.floor(msOf(at) / 1000) * 1000;
  const { year, month, day, hour, minute, second } = wallTime(ms);
  return Date.UTC(year, month - 1, day, hour, minute, second) - ms;
}

/** Returns the wall clock as if it were UTC, so that midnights are multiples of a day. */
export const wallMs = (at: Moment): number => msOf(at) + offsetMs(at);

/**
 * Returns the number of the day of a moment. Consecutive days differ by 1, even if one has 23 or 25
 * hours.
 */
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
