import { describe, expect, it } from 'vitest';
import { compilePattern, isQuick } from './name-pattern';

const regex = (pattern: string) => ({ pattern, regex: true, caseSensitive: false });

describe('patterns that may be tried on the main thread', () => {
  it.each(['newstack|copystack', '^main\\.', '.*Clone.*', '\\(\\*Pool\\)', 'a+b*', 'func\\d{1,3}'])(
    'are those that end soon: %s',
    (pattern) => {
      expect(isQuick(regex(pattern))).toBe(true);
      expect(compilePattern(regex(pattern))).toBeInstanceOf(RegExp);
    },
  );

  it.each(['(a+)+$', '(a|a)*b', '(a*)*', '(.*a){20}', 'a*a*a*b', '(a)\\1', '(?=a)b', '(a+){2,}'])(
    'are not those that could hold the page up: %s',
    (pattern) => expect(isQuick(regex(pattern))).toBe(false),
  );

  it('are all plain texts', () =>
    expect(isQuick({ pattern: '(a+)+$', regex: false, caseSensitive: false })).toBe(true));
});
