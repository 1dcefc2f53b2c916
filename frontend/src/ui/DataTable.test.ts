import { expect, it } from 'vitest';
import { leastWidth } from './DataTable';

it('a table is never so narrow that a column without a set width vanishes', () => {
  expect(leastWidth([{}, { width: 150 }, { width: 480 }], 560)).toBe(750);
  expect(leastWidth([{ width: '26%' }, { width: 100 }], 860)).toBe(860);
});
