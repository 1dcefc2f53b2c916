import { Button } from '@mantine/core';
import { formatSort, parseSort } from '../lib/list-search';
import { DataTable } from './DataTable';
import { EmptyState, ErrorState, SkeletonRows } from './PlaceholderStates';
import type { HelpTopic } from './help-topics';
import { useSearchedRows } from './list-search-context';
import type { Column } from './table-column';

type ListTableProps<Row> = {
  label: string;
  records: {
    data?: { items: readonly Row[] };
    error: Error | null;
    isPending: boolean;
    refetch?: () => unknown;
  };
  columns: Column<Row>[];
  rowKey: (row: Row) => string;
  /** Widths and heights in pixels. */
  size: { minWidth: number; rowHeight?: number; skeletonRows: number };
  /** Why the last change of a row failed. */
  changeError?: Error | null;
  empty?: { text: string; help?: HelpTopic };
};

/** A short list in a table, with what replaces it while it is loaded, is empty or failed. */
export function ListTable<Row>(props: ListTableProps<Row>) {
  const { label, records, columns, rowKey, size, changeError, empty } = props;
  const all = records.data?.items ?? [];
  const { rows, sorting } = useSearchedRows(all, columns);
  const { refetch } = records;
  return (
    <>
      {records.error && (
        <ErrorState
          what={`Could not load ${label.toLowerCase()}`}
          error={records.error}
          action={refetch && <Button onClick={() => void refetch()}>Try again</Button>}
        />
      )}
      {changeError && <ErrorState error={changeError} />}
      {records.isPending && <SkeletonRows rows={size.skeletonRows} height={size.rowHeight} />}
      {empty && records.data && all.length === 0 && (
        <EmptyState help={empty.help}>{empty.text}</EmptyState>
      )}
      {all.length > 0 && rows.length === 0 && (
        <EmptyState>No {label.toLowerCase()} match the search.</EmptyState>
      )}
      {rows.length > 0 && (
        <DataTable
          label={label}
          columns={columns}
          rowCount={rows.length}
          rowAt={(index) => rows[index]!}
          rowKey={rowKey}
          rowHeight={size.rowHeight}
          minWidth={size.minWidth}
          {...(sorting && {
            sort: parseSort(sorting.search.sort),
            onSort: (sort) => sorting.onSort(formatSort(sort)),
          })}
          tools={columns.some(({ text }) => text) ? 'rows' : undefined}
        />
      )}
    </>
  );
}
