/** Each name that came in: what it was taken for, or why for nothing. */
import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import type { Recognised } from '../../api';
import { DataTable, EmptyState, StateGlyph, countText, type Column } from '../../ui';
import classes from './board.module.css';

type TableProps = {
  rows: Recognised[];
  /** To write a rule for a name; undefined = not allowed. */
  onRule?: (name: string) => void;
};

export function RecognisedTable({ rows, onRule }: TableProps) {
  const [shown, setShown] = useState('all');
  const found = rows.filter(
    ({ role }) => shown === 'all' || (shown === 'taken' ? role !== null : role === null),
  );
  if (rows.length === 0)
    return <EmptyState>Names of metrics will be listed here as soon as some come in.</EmptyState>;
  const columns: Column<Recognised>[] = [
    {
      id: 'name',
      head: 'name',
      mono: true,
      cell: ({ name }) => <span className="cut">{name}</span>,
    },
    { id: 'kind', head: 'kind', width: 120, cell: ({ kind }) => kind },
    {
      id: 'series',
      head: 'series',
      width: 80,
      align: 'right',
      cell: ({ series }) => countText(series),
    },
    {
      id: 'services',
      head: 'services',
      width: 80,
      align: 'right',
      cell: ({ services }) => (services === 0 ? '–' : countText(services)),
    },
    {
      id: 'role',
      head: 'taken for',
      width: 110,
      cell: ({ role }) => (
        <StateGlyph glyph={role ? 'done' : 'unsure'}>{role ?? 'nothing'}</StateGlyph>
      ),
    },
    { id: 'why', head: 'because', width: '34%', cell: ({ why }) => why },
    {
      id: 'rule',
      head: '',
      label: 'write a rule',
      width: 80,
      align: 'right',
      cell: ({ name, role }) =>
        onRule &&
        role === null && (
          <button
            type="button"
            className="link"
            aria-label={`Write a rule for ${name}`}
            onClick={() => {
              onRule(name);
            }}
          >
            Rule
          </button>
        ),
    },
  ];
  return (
    <>
      <div className={classes.ruleForm}>
        <SegmentedControl
          aria-label="Which names"
          value={shown}
          onChange={setShown}
          data={[
            { value: 'all', label: 'all' },
            { value: 'taken', label: 'recognised' },
            { value: 'not', label: 'not recognised' },
          ]}
        />
      </div>
      <DataTable
        label="Names of metrics"
        columns={columns}
        rowCount={found.length}
        rowAt={(index) => found[index]!}
        rowKey={({ name, kind, role, reason }) => `${name} ${kind} ${role ?? ''} ${reason}`}
        rowHeight={26}
        minWidth={860}
      />
    </>
  );
}
