/** Each name that came in: what it was taken for, or why for nothing. */
import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import type { Recognised } from '../../../api';
import { DataTable, EmptyState, StateIcon, countText, type Column } from '../../../ui';
import classes from './dashboard.module.css';

type TableProps = {
  rows: Recognised[];
  /** To write a rule for a name; undefined = not allowed. */
  onRule?: (name: string) => void;
};

export function MetricNamesTable({ rows, onRule }: TableProps) {
  const [shown, setShown] = useState('all');
  const found = rows.filter(
    ({ role }) => shown === 'all' || (shown === 'taken' ? role !== null : role === null),
  );
  if (rows.length === 0) return <EmptyState help="metrics">No metrics received yet.</EmptyState>;
  const columns: Column<Recognised>[] = [
    {
      id: 'name',
      head: 'Name',
      mono: true,
      cell: ({ name }) => <span className="cut">{name}</span>,
    },
    { id: 'kind', head: 'Kind', width: 120, cell: ({ kind }) => kind },
    {
      id: 'series',
      head: 'Series',
      width: 80,
      align: 'right',
      cell: ({ series }) => countText(series),
    },
    {
      id: 'services',
      head: 'Services',
      width: 80,
      align: 'right',
      cell: ({ services }) => (services === 0 ? '–' : countText(services)),
    },
    {
      id: 'role',
      head: 'Role',
      width: 110,
      cell: ({ role }) => (
        <StateIcon glyph={role ? 'done' : 'unsure'}>{role ?? 'ignored'}</StateIcon>
      ),
    },
    { id: 'why', head: 'Reason', width: '34%', cell: ({ reason: why }) => why },
    {
      id: 'rule',
      head: '',
      label: 'Add rule',
      width: 80,
      align: 'right',
      cell: ({ name, role }) =>
        onRule &&
        role === null && (
          <button
            type="button"
            className="link"
            aria-label={`Add a rule for ${name}`}
            onClick={() => onRule(name)}
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
          aria-label="Filter"
          value={shown}
          onChange={setShown}
          data={[
            { value: 'all', label: 'all' },
            { value: 'taken', label: 'classified' },
            { value: 'not', label: 'unclassified' },
          ]}
        />
      </div>
      <DataTable
        label="Metrics"
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
