/** Formats sizes, counts, durations and times as text. Units are after a space. */
import { clockText, dateText, dayNumber, momentText, wallTime } from '../lib/times';

const MIB = 1024 * 1024;

/** Formats a size: 38 bytes, 12.4 KiB, 112 MiB, 1.50 GiB. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return countOf(bytes, 'byte');
  if (bytes < MIB) return `${threeDigits(bytes / 1024)} KiB`;
  if (bytes < 1024 * MIB) return `${threeDigits(bytes / MIB)} MiB`;
  return `${threeDigits(bytes / (1024 * MIB))} GiB`;
}

function threeDigits(value: number): string {
  if (value >= 99.95) return Math.round(value).toLocaleString('en');
  return value >= 9.995 ? value.toFixed(1) : value.toFixed(2);
}

/** Formats a count: 1,284. */
export function countText(count: number): string {
  return count.toLocaleString('en').replace('-', '−');
}

/** Formats a count with its noun: "1 profile", "8 profiles". */
export function countOf(count: number, noun: string, plural = `${noun}s`): string {
  return `${countText(count)} ${count === 1 ? noun : plural}`;
}

/** Formats a time in the user's zone: "Tue 17 Nov 09:12" this year, else "17 Nov 2024 09:12". */
export function timeText(when: Date, now: Date): string {
  return wallTime(when).year === wallTime(now).year
    ? momentText(when)
    : `${dateText(when)} ${clockText(when)}`;
}

/** Formats a time as "just now", "4 minutes ago", "yesterday 14:02", or else as a date. */
export function agoText(when: Date, now: Date): string {
  const seconds = (now.getTime() - when.getTime()) / 1000;
  if (seconds < 60) return 'just now';
  if (seconds < 3600) return `${countOf(Math.floor(seconds / 60), 'minute')} ago`;
  const daysAgo = dayNumber(now) - dayNumber(when);
  if (daysAgo <= 0) return `today ${clockText(when)}`;
  if (daysAgo === 1) return `yesterday ${clockText(when)}`;
  return timeText(when, now);
}

/** Formats nanoseconds as "30 s", "11.4 s", "2 min 5 s". */
export function durationText(duration_ns: number): string {
  const seconds = duration_ns / 1e9;
  if (seconds < 1) return `${threeDigits(seconds * 1000)} ms`;
  if (seconds < 120)
    return `${Number.isInteger(Math.round(seconds * 10) / 10) ? Math.round(seconds) : seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** Lowercases the first letter of a label in a sentence, unless it begins an abbreviation. */
export function insideSentence(label: string): string {
  return /^[A-Z]{2}/u.test(label) ? label : label.charAt(0).toLowerCase() + label.slice(1);
}
