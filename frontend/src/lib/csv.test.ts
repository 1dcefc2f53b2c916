import { describe, expect, it } from 'vitest';
import { formatCsv } from './csv';

describe('a CSV file', () => {
  it('quotes what has commas, quotes and line breaks', () => {
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

  it('leaves numbers as they are, negative ones too', () => {
    expect(formatCsv([[-1.5]])).toBe('-1.5\r\n');
  });
});
