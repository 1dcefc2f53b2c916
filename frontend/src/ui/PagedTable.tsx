/** A table of pages fetched on request, with its error, its empty state and a button for more. */
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatSort, parseSort, type ListSearch } from '../lib/list-search';
import { DataTable, type DataTableProps } from './DataTable';
import { ErrorState } from './PlaceholderStates';
import { insideSentence } from './format-amounts';
import { MAX_ROWS, type ShownList } from './paged-list';

type PagedTableProps<Row> = Pick<
  DataTableProps<Row>,
  'label' | 'columns' | 'rowHeight' | 'onRowClick' | 'minWidth' | 'selectedKeys'
> & {
  list: ShownList<Row>;
  /** The query parameters that contain the order; without them, the table has its own. */
  sorting?: { search: ListSearch; onSort: (sort: string) => void };
  loading: ReactNode;
  empty: ReactNode;
};

export function PagedTable<Row extends { id: string }>(props: PagedTableProps<Row>) {
  const { list, sorting, loading, empty, ...table } = props;
  const { rows, query } = list;
  return (
    <>
      {list.error && (
        <ErrorState
          what={`Could not load the ${insideSentence(table.label)}`}
          error={list.error}
          action={<Button onClick={() => void query.refetch()}>Try again</Button>}
        />
      )}
      {query.isPending && loading}
      {query.data !== undefined && rows.length === 0 && empty}
      {rows.length > 0 && (
        <DataTable
          {...table}
          tools={list.allRows}
          rowCount={rows.length}
          rowAt={(index) => rows[index]!}
          rowKey={(row) => row.id}
          {...(sorting && {
            sort: parseSort(sorting.search.sort),
            onSort: (next) => sorting.onSort(formatSort(next)),
          })}
        />
      )}
      <MoreRows list={list} noun={insideSentence(table.label)} />
    </>
  );
}

/** A button that fetches older rows, or a note if more rows match than can be sorted. */
export function MoreRows({ list, noun }: { list: ShownList<unknown>; noun: string }) {
  if (list.isCut)
    return (
      <p className="muted">
        Sorted among the newest {MAX_ROWS.toLocaleString('en')} {noun}. Filter the list for others.
      </p>
    );
  if (list.isWhole) return null;
  return (
    <Button
      my="md"
      loading={list.query.isFetchingNextPage}
      onClick={() => void list.query.fetchNextPage()}
    >
      Load older {noun}
    </Button>
  );
}
