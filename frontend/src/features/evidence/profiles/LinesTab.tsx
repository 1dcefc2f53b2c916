/** The source lines of a function with their costs, as in pprof's `list`. */
import { Button, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Line } from '../../../api';
import { visibleName } from '../../../engine/flame/frame-label';
import type { FunctionTable } from '../../../engine/flame/function-table';
import { normalizationPhrase } from '../../../engine/format/change-wording';
import { columnScale, unitOf } from '../../../engine/format/format';
import { DataTable, EmptyState, ErrorState, SkeletonRows, countOf, type Column } from '../../../ui';
import { largestFunction, scaleOf, sortedRows, type Scaled } from './function-rows';
import type { OpenedSet } from './profile-context';
import { linesQuery, type ViewKey } from './profile-queries';
import { DEFAULT_SORT } from './profile-url';
import classes from './profiles.module.css';

/** The number of functions in the list; others are selected in the table or the graph. */
const CHOICES = 200;
const BAR_PX = 160;

type TabProps = { opened: OpenedSet; viewKey: ViewKey; table: FunctionTable | null };

export function LinesTab({ opened: { view, change }, viewKey, table }: TabProps) {
  const choices = useMemo(() => {
    if (!table) return [];
    const largest = sortedRows(table, DEFAULT_SORT).subarray(0, CHOICES);
    return [...new Set(Array.from(largest, (index) => table.names.text(table.name[index]!)))];
  }, [table]);
  if (!table)
    return (
      <div className={classes.inset}>
        <SkeletonRows rows={10} label="Loading the functions" />
      </div>
    );
  // The selection may be a package or a line.
  const isFunction = view.selected !== '' && view.flame.granularity === 'function';
  const name = isFunction ? view.selected : largestFunction(table);
  const data = choices.includes(name) ? choices : [name, ...choices];
  return (
    <div className={classes.inset}>
      <Select
        className={classes.functionChoice}
        label="Function"
        searchable
        limit={100}
        allowDeselect={false}
        data={data.filter((each) => each !== '')}
        value={name}
        onChange={(selected) =>
          change({ selected: selected ?? '', flame: { ...view.flame, granularity: 'function' } })
        }
      />
      {name !== '' && (
        <Lines viewKey={viewKey} name={name} scaled={scaleOf(table, view.flame.basis)} />
      )}
    </div>
  );
}

type LineRow = {
  line: number;
  self: number;
  attributed: number;
  total: number;
  inlined: readonly string[];
};

function Lines({ viewKey, name, scaled }: { viewKey: ViewKey; name: string; scaled: Scaled }) {
  const lines = useQuery(linesQuery(viewKey, name));
  if (lines.error)
    return (
      <ErrorState
        what="Could not load the lines"
        error={lines.error}
        action={<Button onClick={() => void lines.refetch()}>Try again</Button>}
      />
    );
  if (!lines.data) return <SkeletonRows rows={8} height={26} label="Loading the lines" />;
  const rows = lines.data.map((line) => rowOf(line, scaled)).sort((a, b) => a.line - b.line);
  if (rows.length === 0) return <EmptyState>No line information for this function.</EmptyState>;
  const unit = unitOf(scaled.unit);
  const largest = Math.max(...rows.map(({ self, total }) => Math.max(self, total)));
  const scale = columnScale(largest, unit);
  const value = (shown: number) =>
    shown === 0 ? <span className="muted">–</span> : scale.format(shown);
  const columns: Column<LineRow>[] = [
    {
      id: 'line',
      head: 'Line',
      width: 70,
      mono: true,
      cell: ({ line }) => (line > 0 ? line : '?'),
    },
    { id: 'self', head: 'Self', align: 'right', width: 110, cell: ({ self }) => value(self) },
    {
      id: 'attributed',
      head: 'Attributed',
      align: 'right',
      width: 110,
      cell: ({ attributed }) => value(attributed),
    },
    { id: 'total', head: 'Total', align: 'right', width: 110, cell: ({ total }) => value(total) },
    {
      id: 'bar',
      head: '',
      label: 'total as a bar',
      cell: ({ self, total }) => (
        <svg width={BAR_PX} height="9" aria-hidden="true">
          <rect width={(BAR_PX * total) / largest} height="9" fill="var(--border-strong)" />
          <rect width={(BAR_PX * self) / largest} height="9" fill="var(--control)" />
        </svg>
      ),
    },
    {
      id: 'inlined',
      head: 'Inlined calls',
      cell: ({ inlined }) => (
        <span className="mono muted" title={inlined.join('\n')}>
          {inlined.map((name) => visibleName(name)).join(', ')}
        </span>
      ),
    },
  ];
  return (
    <>
      <p className="muted">
        {countOf(rows.length, 'line')} with samples,{' '}
        {`${scale.name || 'values'} ${normalizationPhrase(unit)}`.trim()}
      </p>
      <DataTable
        label={`Lines of ${visibleName(name)}`}
        columns={columns}
        rowCount={rows.length}
        rowAt={(index) => rows[index]!}
        rowKey={(row) => row.line}
        rowHeight={26}
        minWidth={720}
      />
    </>
  );
}

/** Returns the inlined calls of a line; older reports do not have them. */
const inlinedOf = ({ candidate_inlined = [] }: { candidate_inlined?: string[] }) =>
  candidate_inlined;

const rowOf = (line: Line, { scale }: Scaled): LineRow => ({
  line: line.line,
  self: line.candidate_self * scale,
  attributed: (line.candidate_attributed ?? 0) * scale,
  total: line.candidate_total * scale,
  inlined: inlinedOf(line),
});
