import { describe, expect, it } from 'vitest';
import { compilePattern, isQuick } from './name-pattern';

const regex = (pattern: string) => ({ pattern, regex: true, caseSensitive: false });

describe('isQuick', () => {
  it.each(['newstack|copystack', '^main\\.', '.*Clone.*', '\\(\\*Pool\\)', 'a+b*', 'func\\d{1,3}'])(
    'accepts the fast pattern %s',
    (pattern) => {
      expect(isQuick(regex(pattern))).toBe(true);
      expect(compilePattern(regex(pattern))).toBeInstanceOf(RegExp);
    },
  );

  it.each(['(a+)+$', '(a|a)*b', '(a*)*', '(.*a){20}', 'a*a*a*b', '(a)\\1', '(?=a)b', '(a+){2,}'])(
    'rejects the pattern %s, which could block the page',
    (pattern) => expect(isQuick(regex(pattern))).toBe(false),
  );

  it('accepts all plain texts', () =>
    expect(isQuick({ pattern: '(a+)+$', regex: false, caseSensitive: false })).toBe(true));
});
