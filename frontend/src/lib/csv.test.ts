import { describe, expect, it } from 'vitest';
import { formatCsv } from './csv';

describe('formatCsv', () => {
  it('quotes values with commas, quotes or line breaks', () => {
    expect(formatCsv([['a,b', 'say "x"', 'two\nlines', 1.5, null]])).toBe(
      '"a,b","say ""x""","two\nlines",1.5,\r\n',
    );
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1'])(
    'neutralizes the formula %j',
    (text) => {
      expect(formatCsv([[text]])).toContain(`'${text}`);
    },
  );

  it('keeps numbers unchanged, including negative ones', () => {
    expect(formatCsv([[-1.5]])).toBe('-1.5\r\n');
  });
});
