/** Query parameters of a list: its search text, order and filters. */
import * as z from 'zod/mini';

/** A text in a query parameter; an invalid value counts as missing. */
export const addressText = z.catch(z.optional(z.string().check(z.maxLength(200))), undefined);

/** One of several words in a query parameter; any other value counts as missing. */
export const addressChoice = <const Values extends readonly [string, ...string[]]>(
  values: Values,
) => z.catch(z.optional(z.enum(values)), undefined);

/**
 * The search text, and the column by which a list is sorted: `size`, or `-size` for the largest
 * first.
 */
export const listSearch = {
  q: addressText,
  sort: z.catch(z.optional(z.string().check(z.regex(/^-?[a-z]{1,20}$/u))), undefined),
};
export type ListSearch = { q?: string | undefined; sort?: string | undefined };

export type Sort = { column: string; descending: boolean };

export const parseSort = (sort: string | undefined): Sort | undefined =>
  sort === undefined
    ? undefined
    : { column: sort.replace(/^-/u, ''), descending: sort.startsWith('-') };

export const formatSort = ({ column, descending }: Sort): string =>
  `${descending ? '-' : ''}${column}`;

type SortValue = string | number | null;

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Compares two cells; a missing value is last in both directions. */
function compareValues(a: SortValue, b: SortValue, sign: 1 | -1): number {
  if (a === null || b === null || a === '' || b === '') {
    return Number(a === null || a === '') - Number(b === null || b === '');
  }
  if (typeof a === 'number' && typeof b === 'number') return sign * (a - b);
  return sign * collator.compare(String(a), String(b));
}

/** @returns the rows sorted by the texts of one column; unchanged if no column has this id. */
export function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly { id: string; text?: (row: Row) => SortValue }[],
  sort: Sort | undefined,
): readonly Row[] {
  const text = columns.find(({ id }) => id === sort?.column)?.text;
  if (!sort || !text) return rows;
  const sign = sort.descending ? -1 : 1;
  return rows
    .map((row) => ({ row, value: text(row) }))
    .sort((a, b) => compareValues(a.value, b.value, sign))
    .map(({ row }) => row);
}

/** Returns the rows that have the search text in a column and the values of the column filters. */
export function matchRows<Row>(
  rows: readonly Row[],
  columns: readonly { id: string; text?: (row: Row) => SortValue }[],
  { q = '', ...others }: ListSearch,
): readonly Row[] {
  const filters: Record<string, string | undefined> = others;
  const sought = q.trim().toLowerCase();
  const texts = (row: Row) => columns.flatMap(({ text }) => text?.(row) ?? []);
  return rows.filter(
    (row) =>
      columns.every(
        ({ id, text }) => !text || filters[id] === undefined || text(row) === filters[id],
      ) &&
      (sought === '' || texts(row).some((text) => String(text).toLowerCase().includes(sought))),
  );
}

/** Returns whether the list shows only some of its rows; the order does not count. */
export const isFiltered = (search: ListSearch): boolean =>
  Object.entries(search).some(([name, value]) => name !== 'sort' && Boolean(value));
