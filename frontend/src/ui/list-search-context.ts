import { createContext, useContext } from 'react';
import { matchRows, sortRows, parseSort, type ListSearch } from '../lib/list-search';
import type { ListColumn } from './ListTools';

type SharedSearch = { search: ListSearch; onSort: (sort: string) => void };

/** The search in the address of a page, which applies to all short lists in it; null where there is none. */
export const ListSearchContext = createContext<SharedSearch | null>(null);

/** The rows of a short list that the page's search leaves, in its order. */
export function useSearchedRows<Row>(rows: readonly Row[], columns: readonly ListColumn<Row>[]) {
  const shared = useContext(ListSearchContext);
  if (!shared || columns.length === 0) return { rows, sorting: null };
  const matching = matchRows(rows, columns, shared.search);
  return {
    rows: sortRows(matching, columns, parseSort(shared.search.sort)),
    sorting: shared,
  };
}
