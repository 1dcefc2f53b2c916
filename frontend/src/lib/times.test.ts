import { afterEach, describe, expect, it } from 'vitest';
import { fieldText, fieldTime, startOfDay, roundMoments } from './wall-times';
import {
  clockText,
  dayNumber,
  fullTimeText,
  isTimeZone,
  momentText,
  offsetMs,
  setTimeZone,
  zoneText,
} from './times';

const HOUR = 3_600_000;
const at = (iso: string): number => Date.parse(iso);
const texts = (moments: number[]): string[] => moments.map((each) => clockText(each));

describe('times in the time zone of a user', () => {
  afterEach(() => setTimeZone(null));

  it('are formatted in the selected time zone, with its name', () => {
    setTimeZone('Europe/Berlin');
    expect(momentText('2026-11-18T13:02:15Z')).toBe('Wed 18 Nov 14:02');
    expect(zoneText('2026-11-18T13:02:15Z')).toBe('CET');
    expect(zoneText('2026-07-18T13:02:15Z')).toBe('CEST');
    expect(fullTimeText('2026-11-18T13:02:15Z')).toBe(
      '18 Nov 2026 14:02:15, Central European Standard Time (Europe/Berlin)',
    );
  });

  it('ignore a time zone that the browser does not know', () => {
    setTimeZone('Mars/Olympus');
    expect(momentText('2026-11-18T13:02:15Z')).toBe(momentText(at('2026-11-18T13:02:15Z')));
    expect([isTimeZone('Mars/Olympus'), isTimeZone('Asia/Kathmandu')]).toEqual([false, true]);
  });

  it('count days by local midnights, also where a day has 23 or 25 hours', () => {
    setTimeZone('Europe/Berlin');
    const [before, spring, after] = ['2026-03-28', '2026-03-29', '2026-03-30'].map((day) =>
      startOfDay(day),
    );
    expect([spring! - before!, after! - spring!]).toEqual([24 * HOUR, 23 * HOUR]);
    expect(startOfDay('2026-10-25', 1) - startOfDay('2026-10-25')).toBe(25 * HOUR);
    expect(dayNumber(after!) - dayNumber(before!)).toBe(2);
    expect(dayNumber(after! - 1)).toBe(dayNumber(spring!));
  });

  it.each(['Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'UTC'])(
    'keep their value when formatted for a field and parsed again in %s',
    (zone) => {
      setTimeZone(zone);
      for (let ms = at('2026-01-01T00:00Z'); ms < at('2027-01-01T00:00Z'); ms += 7 * HOUR)
        if (offsetMs(ms) === offsetMs(ms + 2 * HOUR) && offsetMs(ms) === offsetMs(ms - 2 * HOUR))
          expect(fieldTime(fieldText(ms))).toBe(ms);
    },
  );

  it('parse a skipped local time as a later one and a repeated one as the first', () => {
    setTimeZone('Europe/Berlin');
    expect(fieldTime('2026-03-29T02:30')).toBe(at('2026-03-29T01:30Z'));
    expect(fieldTime('2026-10-25T02:30')).toBe(at('2026-10-25T00:30Z'));
    expect(fieldTime('')).toBeNaN();
  });

  it('have axis ticks at round local times across a clock change', () => {
    setTimeZone('Europe/Berlin');
    const spring = roundMoments(at('2026-03-28T23:00Z'), at('2026-03-29T12:00Z'), 3 * HOUR);
    expect(texts(spring)).toEqual(['00:00', '03:00', '06:00', '09:00', '12:00']);
    const autumn = roundMoments(at('2026-10-24T22:00Z'), at('2026-10-25T04:00Z'), HOUR);
    expect(texts(autumn)).toEqual(['00:00', '01:00', '02:00', '03:00', '04:00', '05:00']);
    setTimeZone('Asia/Kathmandu');
    const nepal = roundMoments(at('2026-11-18T00:00Z'), at('2026-11-18T03:00Z'), HOUR);
    expect(texts(nepal)).toEqual(['06:00', '07:00', '08:00']);
  });
});
