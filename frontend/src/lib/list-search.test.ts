import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { formatSort, listSearch, matchRows, parseSort, sortRows } from './list-search';

type Row = { name: string | null; size: number | null };
const rows: Row[] = [
  { name: 'b10', size: 2 },
  { name: null, size: 10 },
  { name: 'B9', size: null },
];
const columns = [
  { id: 'name', text: ({ name }: Row) => name },
  { id: 'size', text: ({ size }: Row) => size },
  { id: 'act' },
];
const sortedBy = (sort: string) => sortRows(rows, columns, parseSort(sort)).map(({ name }) => name);

describe('matchRows', () => {
  it('finds text in any column, ignoring case', () => {
    expect(matchRows(rows, columns, { q: ' B1' })).toEqual([rows[0]]);
    expect(matchRows(rows, columns, { q: '10' })).toEqual([rows[0], rows[1]]);
    expect(matchRows(rows, columns, {})).toEqual(rows);
    expect(matchRows(rows, [{ id: 'act' }], {})).toEqual(rows);
  });

  it('applies only filters that name a column', () => {
    const filters = { name: 'B9', tab: 'members', sort: 'size' };
    expect(matchRows(rows, columns, filters)).toEqual([rows[2]]);
  });
});

describe('sort order of a list', () => {
  it('compares texts by the numbers in them and puts missing values last', () => {
    expect(sortedBy('name')).toEqual(['B9', 'b10', null]);
    expect(sortedBy('-name')).toEqual(['b10', 'B9', null]);
    expect(sortedBy('size')).toEqual(['b10', null, 'B9']);
    expect(sortedBy('-size')).toEqual([null, 'b10', 'B9']);
  });

  it('does not change for a column without text or for an unknown column', () => {
    expect(sortedBy('act')).toEqual(['b10', null, 'B9']);
    expect(sortedBy('gone')).toEqual(['b10', null, 'B9']);
  });

  it('is read from and written to the URL, and invalid values are ignored', () => {
    const read = (sort: string) => z.object(listSearch).parse({ sort }).sort;
    expect(read(formatSort({ column: 'size', descending: true }))).toBe('-size');
    expect(read('size')).toBe('size');
    expect(read('size; drop')).toBeUndefined();
  });
});
