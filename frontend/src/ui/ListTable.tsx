import { Button } from '@mantine/core';
import { useState } from 'react';
import { formatSort, parseSort } from '../lib/list-search';
import { DataTable } from './DataTable';
import { ListFilters, type ListFilter } from './ListFilters';
import { EmptyState, ErrorState, SkeletonRows } from './PlaceholderStates';
import { insideSentence } from './format-amounts';
import type { HelpTopic } from './help-topics';
import { useSearchedRows } from './list-search-context';
import { ListToolSlotContext } from './list-tool-slot';
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
  filters?: readonly ListFilter[];
  empty?: { text: string; help?: HelpTopic };
};

/** A short list in a table, with its loading, empty and error states. */
export function ListTable<Row>(props: ListTableProps<Row>) {
  const { label, records, columns, rowKey, size, changeError, filters, empty } = props;
  const noun = insideSentence(label);
  const all = records.data?.items ?? [];
  const { rows, own } = useSearchedRows(label, all, columns, filters);
  const [slot, setSlot] = useState<HTMLElement | null>(null);
  const { refetch } = records;
  return (
    <ListToolSlotContext value={{ element: slot, setElement: setSlot }}>
      {records.error && (
        <ErrorState
          what={`Could not load ${noun}`}
          error={records.error}
          action={refetch && <Button onClick={() => void refetch()}>Try again</Button>}
        />
      )}
      {changeError && <ErrorState error={changeError} />}
      {records.isPending && <SkeletonRows rows={size.skeletonRows} height={size.rowHeight} />}
      {empty && records.data && all.length === 0 && (
        <EmptyState help={empty.help}>{empty.text}</EmptyState>
      )}
      {own && all.length > 0 && (
        <ListFilters noun={noun} searched={noun} filters={filters} {...own} />
      )}
      {all.length > 0 && rows.length === 0 && <EmptyState>No {noun} match the search.</EmptyState>}
      {rows.length > 0 && (
        <DataTable
          label={label}
          columns={columns}
          rowCount={rows.length}
          rowAt={(index) => rows[index]!}
          rowKey={rowKey}
          rowHeight={size.rowHeight}
          minWidth={size.minWidth}
          {...(own && {
            sort: parseSort(own.search.sort),
            onSort: (sort) => own.onSearch({ sort: formatSort(sort) }),
          })}
          tools={() => Promise.resolve({ rows: [...rows], isWhole: true })}
        />
      )}
    </ListToolSlotContext>
  );
}
