/** A table of all received metric names: their role, or why they have none. */
import type { UseQueryResult } from '@tanstack/react-query';
import type { Recognised } from '../../../api';
import { ListTable, StateIcon, countText, type Column } from '../../../ui';

type TableProps = {
  names: Pick<UseQueryResult<{ items: Recognised[] }>, 'data' | 'error' | 'isPending' | 'refetch'>;
  /** Starts a rule for a name; undefined = not allowed. */
  onRule?: (name: string) => void;
};

const ROLE = {
  name: 'role',
  label: 'Role',
  options: ['requests', 'latency', 'gauge', 'ignored'],
};

export function MetricNamesTable({ names, onRule }: TableProps) {
  const columns: Column<Recognised>[] = [
    {
      id: 'name',
      head: 'Name',
      mono: true,
      text: ({ name }) => name,
      cell: ({ name }) => <span className="cut">{name}</span>,
    },
    {
      id: 'kind',
      head: 'Kind',
      width: 120,
      text: ({ kind }) => kind,
      cell: ({ kind }) => kind,
    },
    {
      id: 'series',
      head: 'Series',
      width: 80,
      align: 'right',
      text: ({ series }) => series,
      cell: ({ series }) => countText(series),
    },
    {
      id: 'services',
      head: 'Services',
      width: 80,
      align: 'right',
      text: ({ services }) => services,
      cell: ({ services }) => (services === 0 ? '–' : countText(services)),
    },
    {
      id: 'role',
      head: 'Role',
      width: 110,
      text: roleText,
      cell: ({ role }) => (
        <StateIcon glyph={role ? 'done' : 'unsure'}>{roleText({ role })}</StateIcon>
      ),
    },
    {
      id: 'reason',
      head: 'Reason',
      width: '34%',
      text: ({ reason }) => reason,
      cell: ({ reason }) => reason,
    },
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
    <ListTable
      label="Metrics"
      records={names}
      columns={columns}
      filters={[ROLE]}
      rowKey={({ name, kind, role, reason }) => `${name} ${kind} ${role ?? ''} ${reason}`}
      size={{ minWidth: 860, rowHeight: 26, skeletonRows: 4 }}
      empty={{ text: 'No metrics received yet.', help: 'metrics' }}
    />
  );
}

const roleText = ({ role }: Pick<Recognised, 'role'>): string => role ?? 'ignored';
