/** What every list offers above its rows: the choice of columns, remembered in this browser, and its rows as CSV. */
import { Button } from '@mantine/core';
import { lazy, useState } from 'react';
import { formatCsv } from '../lib/csv';
import type { Column } from './DataTable';
import classes from './DataTable.module.css';
import { LazyPopover } from './LazyPopover';
import { downloadBlob } from './download';
import { getPreference, setPreference } from './local-preferences';

const ColumnMenu = lazy(() => import('./ColumnMenu'));

/** @returns the hidden columns of a list, and how to change them. */
export function useHiddenColumns(list: string): [ReadonlySet<string>, (hidden: string[]) => void] {
  const key = `hidden-columns-${list}`;
  const [hidden, setHidden] = useState(() => new Set((getPreference(key) ?? '').split(',')));
  const change = (next: string[]) => {
    setPreference(key, next.join(','));
    setHidden(new Set(next));
  };
  return [hidden, change];
}

/** The name of a column; '' of one with actions. */
export const columnName = <Row,>({ head, text }: Column<Row>): string =>
  typeof head === 'string' && text !== undefined ? head : '';

/** The shown columns with texts, as a CSV file. */
export function csvOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const named = columns.filter((column) => columnName(column) !== '');
  return formatCsv([
    named.map(columnName),
    ...rows.map((row) => named.map(({ text }) => text?.(row) ?? null)),
  ]);
}

type ToolsProps<Row> = {
  label: string;
  columns: readonly Column<Row>[];
  hidden: ReadonlySet<string>;
  onHidden: (hidden: string[]) => void;
  rows: () => Row[];
  /** Older rows are not loaded, so they are not in the file. */
  isPart?: boolean;
};

export function ListTools<Row>({
  label,
  columns,
  hidden,
  onHidden,
  rows,
  isPart,
}: ToolsProps<Row>) {
  const choices = columns.slice(1).flatMap((column) => {
    const name = columnName(column);
    return name === '' ? [] : [{ id: column.id, name }];
  });
  const save = () => {
    const shown = columns.filter(({ id }) => !hidden.has(id));
    const csv = new Blob([csvOf(shown, rows())], { type: 'text/csv' });
    downloadBlob(csv, `${label.toLowerCase().replace(/\W+/gu, '-')}.csv`);
  };
  return (
    <div className={classes.tools}>
      <LazyPopover
        button={(onPress) => (
          <Button size="compact-xs" aria-haspopup="menu" onClick={onPress}>
            Columns
          </Button>
        )}
      >
        <ColumnMenu choices={choices} hidden={hidden} onHidden={onHidden} />
      </LazyPopover>
      <Button
        size="compact-xs"
        title={isPart ? 'The rows that are loaded, without older ones' : undefined}
        onClick={save}
      >
        {isPart ? 'Download CSV of loaded rows' : 'Download CSV'}
      </Button>
    </div>
  );
}
