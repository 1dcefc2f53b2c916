import { expect, test } from 'vitest';
import { readFunctions } from '../../../../engine/flame/function-table';
import { functionsFile } from '../../../../testing/function-fixtures';
import { rowAt, scaleOf, sortedRows } from './function-rows';

const TABLE = readFunctions(
  functionsFile([
    { name: 'a.sure', base: 1, candidate: 9, state: 1, q: 0.0001 },
    { name: 'a.thin', base: 1, candidate: 2, state: 0, q: NaN },
    { name: 'a.noise', base: 5, candidate: 5, state: 0, q: 0.7 },
  ]),
);

const order = (descending: boolean): string[] => {
  const scaled = scaleOf(TABLE, '');
  return Array.from(
    sortedRows(TABLE, scaled, { column: 'q', descending }),
    (row) => rowAt(TABLE, scaled, row).name,
  );
};

test('sortedRows sorts by q-value, with untested rows last in both directions', () => {
  expect(order(false)).toEqual(['a.sure', 'a.noise', 'a.thin']);
  expect(order(true)).toEqual(['a.noise', 'a.sure', 'a.thin']);
});
