/** The tools above a list: the choice of columns, stored in this browser, and its rows as CSV. */
import { Button, Select } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { lazy } from 'react';
import { formatCsv } from '../lib/csv';
import { sortRows, type Sort } from '../lib/list-search';
import { LazyPopover } from './LazyPopover';
import { ErrorState } from './PlaceholderStates';
import { downloadBlob } from './download';
import type { AllRows } from './paged-list';
import type { Column } from './table-column';

const ColumnMenu = lazy(() => import('./ColumnMenu'));

export type ListColumn<Row> = Pick<Column<Row>, 'id' | 'head' | 'text'>;

/** Returns the name of a column, or '' for a column with actions. */
const columnName = <Row,>({ head, text }: ListColumn<Row>): string =>
  typeof head === 'string' && text !== undefined ? head : '';

/** Formats the columns that have a text as a CSV file. */
function csvOf<Row>(columns: readonly ListColumn<Row>[], rows: readonly Row[]): string {
  const named = columns.filter((column) => columnName(column) !== '');
  return formatCsv([
    named.map(columnName),
    ...rows.map((row) => named.map(({ text }) => text?.(row) ?? null)),
  ]);
}

type ToolsProps<Row> = {
  label: string;
  columns: readonly ListColumn<Row>[];
  hidden: ReadonlySet<string>;
  onHidden: (hidden: string[]) => void;
  /** Returns all rows that match, for the CSV file. */
  rows: () => AllRows<Row> | Promise<AllRows<Row>>;
  sort: Sort | undefined;
  /** For lists without column headers: sets the order, formatted as in the URL. */
  onSortText?: (sort: string | undefined) => void;
};

export default function ListTools<Row>(props: ToolsProps<Row>) {
  const { label, columns, hidden, onHidden, rows, sort, onSortText } = props;
  const named = columns.flatMap((column) => {
    const name = columnName(column);
    return name === '' ? [] : [{ id: column.id, name }];
  });
  const save = useMutation({
    mutationFn: async () => rows(),
    onSuccess: (all) => {
      const shown = columns.filter(({ id }) => !hidden.has(id));
      const csv = csvOf(shown, sortRows(all.rows, columns, sort));
      const name = `${label.toLowerCase().replace(/\W+/gu, '-')}.csv`;
      downloadBlob(new Blob([csv], { type: 'text/csv' }), name);
    },
  });
  return (
    <>
      {save.error && <ErrorState compact what="Could not write the CSV" error={save.error} />}
      {save.data?.isWhole === false && (
        <span role="status">
          The file has the first {save.data.rows.length.toLocaleString('en')} rows. Filter the list
          for others.
        </span>
      )}
      {onSortText && <SortChoice named={named} sort={sort} onSortText={onSortText} />}
      <LazyPopover
        button={(onPress) => (
          <Button size="compact-xs" aria-haspopup="menu" onClick={onPress}>
            Columns
          </Button>
        )}
      >
        <ColumnMenu
          choices={named.filter(({ id }) => id !== firstNamed(columns))}
          hidden={hidden}
          onHidden={onHidden}
        />
      </LazyPopover>
      <Button size="compact-xs" loading={save.isPending} onClick={() => save.mutate()}>
        Download CSV
      </Button>
    </>
  );
}

/** The first column cannot be hidden, since it names the rows. */
const firstNamed = <Row,>(columns: readonly ListColumn<Row>[]) => columns[0]?.id;

type SortProps = { named: { id: string; name: string }[] } & Pick<
  Required<ToolsProps<unknown>>,
  'sort' | 'onSortText'
>;

function SortChoice({ named, sort, onSortText }: SortProps) {
  const data = named.flatMap(({ id, name }) => [
    { value: id, label: `${name}, ascending` },
    { value: `-${id}`, label: `${name}, descending` },
  ]);
  return (
    <Select
      size="xs"
      aria-label="Sort by"
      placeholder="Sort by"
      clearable
      w={190}
      data={data}
      value={sort ? `${sort.descending ? '-' : ''}${sort.column}` : null}
      onChange={(next) => onSortText(next ?? undefined)}
    />
  );
}
