/** A table of pages that are fetched on request: its error, its empty state, and the button that fetches more. */
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { DataTable, type DataTableProps } from './DataTable';
import { ErrorState } from './PlaceholderStates';

type PagedQuery<Row> = {
  data: { pages: { items: Row[] }[] } | undefined;
  error: Error | null;
  isPending: boolean;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  refetch: () => Promise<unknown>;
  fetchNextPage: () => Promise<unknown>;
};

type PagedTableProps<Row> = Pick<
  DataTableProps<Row>,
  'label' | 'columns' | 'rowHeight' | 'onRowClick' | 'minWidth' | 'selectedKeys'
> & {
  query: PagedQuery<Row>;
  loading: ReactNode;
  empty: ReactNode;
};

export function PagedTable<Row extends { id: string }>(props: PagedTableProps<Row>) {
  const { query, loading, empty, ...table } = props;
  const rows = query.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      {query.error && (
        <ErrorState
          error={query.error}
          action={<Button onClick={() => void query.refetch()}>Try again</Button>}
        />
      )}
      {query.isPending && loading}
      {query.data && rows.length === 0 && empty}
      {rows.length > 0 && (
        <DataTable
          {...table}
          tools={query.hasNextPage ? 'part' : 'whole'}
          rowCount={rows.length}
          rowAt={(index) => rows[index]!}
          rowKey={(row) => row.id}
        />
      )}
      {query.hasNextPage && (
        <Button
          my="md"
          loading={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          Load older {table.label.toLowerCase()}
        </Button>
      )}
    </>
  );
}
