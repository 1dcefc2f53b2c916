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
  it('finds the text in any column, in any case', () => {
    expect(matchRows(rows, columns, { q: ' B1' })).toEqual([rows[0]]);
    expect(matchRows(rows, columns, { q: '10' })).toEqual([rows[0], rows[1]]);
    expect(matchRows(rows, columns, {})).toEqual(rows);
    expect(matchRows(rows, [{ id: 'act' }], {})).toEqual(rows);
  });

  it('takes filters that name a column, and no other', () => {
    const filters = { name: 'B9', tab: 'members', sort: 'size' };
    expect(matchRows(rows, columns, filters)).toEqual([rows[2]]);
  });
});

describe('the order of a list', () => {
  it('compares texts with their numbers, numbers by value, and has missing values last', () => {
    expect(sortedBy('name')).toEqual(['B9', 'b10', null]);
    expect(sortedBy('-name')).toEqual(['b10', 'B9', null]);
    expect(sortedBy('size')).toEqual(['b10', null, 'B9']);
    expect(sortedBy('-size')).toEqual([null, 'b10', 'B9']);
  });

  it('stays as it is for a column without a text, and for one that is unknown', () => {
    expect(sortedBy('act')).toEqual(['b10', null, 'B9']);
    expect(sortedBy('gone')).toEqual(['b10', null, 'B9']);
  });

  it('is read from an address and written to one, and nothing else is accepted', () => {
    const read = (sort: string) => z.object(listSearch).parse({ sort }).sort;
    expect(read(formatSort({ column: 'size', descending: true }))).toBe('-size');
    expect(read('size')).toBe('size');
    expect(read('size; drop')).toBeUndefined();
  });
});
