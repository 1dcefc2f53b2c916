/** All sections of spans, of two sides or of one. */
import { Suspense, lazy, useEffect, useMemo, useRef, type ReactNode } from 'react';
import { formatCount, formatShare, formatValue } from '../../../engine/format/format';
import { visibleName } from '../../../engine/flame/frame-label';
import {
  DataTable,
  EmptyState,
  ProblemBoundary,
  Section,
  SkeletonRows,
  countOf,
  type Column,
} from '../../../ui';
import {
  AmplificationTable,
  AttributesTable,
  FanOutTable,
  RepeatedTable,
  sideColumn,
} from './CallsTables';
import { GapsTable, toneOf } from './GapsTable';
import { isSingle } from './span-rows';
import classes from './spans.module.css';
import type { CriticalShare, SpanSets, TraceRow } from './span-types';
import type { SpansView } from './span-url';
import type { SpansArrival } from './span-wording';

const SetMap = lazy(() => import('./SpanSetMap'));

export type BodyProps = {
  sets: SpanSets;
  view: SpansView;
  onView: (view: SpansView) => void;
  /** Returns a link to the page of one trace. */
  traceLink: (artifactId: string, traceId: string, words: string) => ReactNode;
  /** The list of all traces of a single set; it replaces the slowest traces. */
  list?: ReactNode;
  arrival?: SpansArrival | null;
  onArrived?: () => void;
};

const nothing = () => undefined;

export function SpansBody(props: BodyProps) {
  const { sets, view, onView, traceLink, arrival = null, onArrived = nothing } = props;
  const gaps = useRef<HTMLDivElement>(null);
  const calls = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!arrival) return;
    const place = arrival.to === 'gap' ? gaps.current : calls.current;
    place?.scrollIntoView({ block: 'start' });
    place?.focus({ preventScroll: true });
    onArrived();
  }, [arrival, onArrived]);
  const slowest = props.list ?? <Slowest sets={sets} traceLink={traceLink} />;
  const single = isSingle(sets);
  return (
    <>
      {single && slowest}
      <div ref={gaps} tabIndex={-1}>
        <GapsTable sets={sets} view={view} onView={(changed) => onView({ ...view, ...changed })} />
      </div>
      <div ref={calls} tabIndex={-1}>
        <AmplificationTable sets={sets} edge={view.edge} />
      </div>
      {!single && slowest}
      <CriticalTable sets={sets} />
      <FanOutTable sets={sets} />
      <RepeatedTable
        sets={sets}
        rows={sets.retries}
        title="Retries"
        aside="the same call repeated after a failure"
      />
      <RepeatedTable
        sets={sets}
        rows={sets.n_plus_one}
        title="Sequential calls (N+1)"
        aside="repeated sequential calls that could be batched"
      />
      <AttributesTable rows={sets.attributes} />
      <Section title="Service calls" aside="calls per request of the caller">
        <ProblemBoundary what="Could not draw the map">
          <Suspense fallback={<SkeletonRows rows={6} height={60} label="Loading the map" />}>
            <SetMap sets={sets} />
          </Suspense>
        </ProblemBoundary>
      </Section>
    </>
  );
}

function Slowest({ sets, traceLink }: Pick<BodyProps, 'sets' | 'traceLink'>) {
  const rows = useMemo(
    () => sets.traces.toSorted((a, b) => b.duration_ns - a.duration_ns),
    [sets.traces],
  );
  const columns: Column<TraceRow>[] = [
    ...sideColumn<TraceRow>(sets),
    {
      id: 'root',
      head: 'Request',
      cell: (row) => (
        <span className="cut">
          <b>{visibleName(row.service)}</b>{' '}
          <span className="mono">
            {traceLink(row.artifact, row.trace_id, visibleName(row.root) || 'without a name')}
          </span>
        </span>
      ),
    },
    number('duration', 'Duration', (row) => formatValue(row.duration_ns, 'ns')),
    number('gap', 'Longest gap', (row) => (row.gap_ns > 0 ? formatValue(row.gap_ns, 'ns') : '–')),
    number('spans', 'Spans', (row) => formatCount(row.spans)),
    {
      id: 'errors',
      head: 'Errors',
      width: 90,
      align: 'right',
      cell: (row) =>
        row.errors > 0 ? (
          <span className="err">{formatCount(row.errors)}</span>
        ) : (
          <span className="muted">–</span>
        ),
    },
    {
      id: 'trace',
      head: 'Trace',
      width: 280,
      cell: (row) => <span className="mono muted">{row.trace_id}</span>,
    },
  ];
  return (
    <Section title="Slowest traces" aside={countOf(rows.length, 'trace')}>
      {rows.length === 0 ? (
        <EmptyState help="spans">No traces recorded.</EmptyState>
      ) : (
        <div className={classes.list} tabIndex={0} role="group" aria-label="Slowest traces, list">
          <DataTable
            label="Slowest traces"
            columns={columns}
            rowCount={rows.length}
            rowAt={(index) => rows[index]!}
            rowKey={(row) => `${row.side} ${row.artifact} ${row.trace_id}`}
            rowHeight={26}
            minWidth={860}
          />
        </div>
      )}
    </Section>
  );
}

const number = <Row,>(id: string, head: string, cell: (row: Row) => string): Column<Row> => ({
  id,
  head,
  width: 104,
  align: 'right',
  cell,
});

const PATHS_SHOWN = 30;

function CriticalTable({ sets }: { sets: SpanSets }) {
  if (sets.critical.length === 0) return null;
  const rows = sets.critical.slice(0, PATHS_SHOWN);
  const single = isSingle(sets);
  const side = (id: 'base' | 'candidate', head: string): Column<CriticalShare>[] => [
    number(id, head, (row) => {
      const cell = row[id];
      return cell ? formatValue(cell.ns_per_request, 'ns') : '–';
    }),
    number(`${id} share`, 'Of path', (row) => {
      const cell = row[id];
      return cell ? formatShare(cell.share) : '–';
    }),
  ];
  const columns: Column<CriticalShare>[] = [
    {
      id: 'path',
      head: 'Self time on path',
      cell: (row) => (
        <span className={classes.twoLines} title={row.path.join(' › ')}>
          <span className={classes.line}>
            <b>{visibleName(row.service)}</b> <span className="mono">{visibleName(row.op)}</span>
          </span>
          <span className={classes.second}>
            {row.path
              .slice(0, -1)
              .map((each) => visibleName(each))
              .join(' › ') || 'root span'}
          </span>
        </span>
      ),
    },
    ...side('base', single ? 'Per request' : 'Base'),
    ...(single ? [] : side('candidate', 'Candidate')),
  ];
  if (!single) {
    columns.push({
      id: 'difference',
      head: 'Difference (95% CI)',
      width: 190,
      align: 'right',
      cell: (row) => (
        <span className={toneOf(row.state)}>
          {row.low === null || row.high === null
            ? '–'
            : `${formatValue(row.low, 'ns')} – ${formatValue(row.high, 'ns')}`}
        </span>
      ),
    });
  }
  return (
    <Section
      title="Critical path"
      aside={`what the request waited for, by call path · ${countOf(rows.length, 'path')}${rows.length < sets.critical.length ? ` of ${formatCount(sets.critical.length)}` : ''}`}
    >
      <DataTable
        label="Critical path"
        columns={columns}
        rowCount={rows.length}
        rowAt={(index) => rows[index]!}
        rowKey={(row) => row.path.join('\u0000')}
        rowHeight={42}
        minWidth={single ? 620 : 980}
      />
    </Section>
  );
}
