import { createContext, useContext } from 'react';
import { addressText, matchRows, sortRows, parseSort, type ListSearch } from '../lib/list-search';
import type { ListColumn } from './ListTools';

type SearchTexts = Readonly<Record<string, unknown>>;

/** The query parameters of a page with short lists and their setter; null if it has none. */
export const ListSearchContext = createContext<{
  search: SearchTexts;
  onSearch: (changed: SearchTexts) => void;
} | null>(null);

export type OwnSearch = { search: ListSearch; onSearch: (search: ListSearch) => void };

/**
 * Returns the rows of a short list that match its search, in its order. Each of its query
 * parameters begins with the name of the list, as in `members-q`.
 */
export function useSearchedRows<Row>(
  label: string,
  rows: readonly Row[],
  columns: readonly ListColumn<Row>[],
  filters: readonly { name: string }[] = [],
): { rows: readonly Row[]; own: OwnSearch | null } {
  const page = useContext(ListSearchContext);
  if (!page || columns.length === 0) return { rows, own: null };
  const prefix = `${label.toLowerCase().replace(/\W+/gu, '-')}-`;
  const names = ['q', 'sort', ...filters.map(({ name }) => name)];
  const search: ListSearch = Object.fromEntries(
    names.map((name) => [name, addressText.parse(page.search[prefix + name])]),
  );
  const onSearch = (next: ListSearch) =>
    page.onSearch(
      Object.fromEntries(Object.entries(next).map(([name, value]) => [prefix + name, value])),
    );
  const matching = matchRows(rows, columns, search);
  return {
    rows: sortRows(matching, columns, parseSort(search.sort)),
    own: { search, onSearch },
  };
}
