import { describe, expect, it } from 'vitest';
import {
  agoText,
  countOf,
  countText,
  durationText,
  insideSentence,
  sizeText,
  timeText,
} from './format-amounts';

describe('sizeText', () => {
  it.each([
    [0, '0 bytes'],
    [1, '1 byte'],
    [1023, '1,023 bytes'],
    [12_700, '12.4 KiB'],
    [1024 * 1024, '1.00 MiB'],
    [112 * 1024 * 1024, '112 MiB'],
    [1.5 * 1024 ** 3, '1.50 GiB'],
  ])('formats %d bytes as %s', (bytes, words) => expect(sizeText(bytes)).toBe(words));
});

describe('durationText', () => {
  it.each([
    [0.25, '250 ms'],
    [30, '30 s'],
    [11.4, '11.4 s'],
    [119.5, '119.5 s'],
    [125, '2 min 5 s'],
    // 59.6 s are rounded up to a full minute.
    [179.6, '3 min 0 s'],
    [3600, '60 min 0 s'],
  ])('formats %d s as %s', (seconds, words) => expect(durationText(seconds * 1e9)).toBe(words));
});

describe('countText and countOf', () => {
  it('format thousands separators, minus signs and plurals', () => {
    expect(countText(1284)).toBe('1,284');
    expect(countText(-3)).toBe('−3');
    expect(countOf(1, 'profile')).toBe('1 profile');
    expect(countOf(0, 'profile')).toBe('0 profiles');
    expect(countOf(2, 'delivery', 'deliveries')).toBe('2 deliveries');
  });
});

describe('agoText and timeText', () => {
  const now = new Date(2026, 10, 23, 12, 0, 0);
  it.each([
    ['just now', new Date(2026, 10, 23, 11, 59, 30)],
    ['1 minute ago', new Date(2026, 10, 23, 11, 59, 0)],
    ['59 minutes ago', new Date(2026, 10, 23, 11, 1, 0)],
    ['today 09:05', new Date(2026, 10, 23, 9, 5, 0)],
    ['yesterday 23:05', new Date(2026, 10, 22, 23, 5, 0)],
    ['Tue 17 Nov 09:12', new Date(2026, 10, 17, 9, 12, 0)],
  ])('format a time relative to now: %s', (words, when) => expect(agoText(when, now)).toBe(words));

  it('include the year when it differs from the current one', () =>
    expect(timeText(new Date(2024, 10, 17, 9, 12), now)).toBe('17 Nov 2024 09:12'));
});

describe('insideSentence', () => {
  it.each([
    ['API tokens', 'API tokens'],
    ['Service accounts', 'service accounts'],
    ['CI trusts', 'CI trusts'],
  ])('writes %s as %s', (label, words) => expect(insideSentence(label)).toBe(words));
});
