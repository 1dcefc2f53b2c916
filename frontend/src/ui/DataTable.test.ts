import { expect, it } from 'vitest';
import { leastWidth } from './DataTable';

it('leastWidth widens a table so that columns without a set width stay visible', () => {
  expect(leastWidth([{}, { width: 150 }, { width: 480 }], 560)).toBe(750);
  expect(leastWidth([{ width: '26%' }, { width: 100 }], 860)).toBe(860);
});
