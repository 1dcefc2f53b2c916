/**
 * Tables of calls: how many a request makes, whether the slowest one explains the tail, and
 * repeated calls.
 */
import { EffectAxis, EffectInterval } from '../../../charts';
import {
  formatCount,
  formatNumber,
  formatProbability,
  formatRatio,
  formatRatioRange,
  formatShare,
  formatValue,
} from '../../../engine/format/format';
import { visibleName } from '../../../engine/flame/frame-label';
import { ratioAxis } from '../../../engine/format/ratio-axis';
import { DataTable, Section, SideMark, type Column } from '../../../ui';
import { Term } from '../../../ui/Terms';
import { toneOf } from './GapsTable';
import { isChanged, isSingle } from './span-rows';
import classes from './spans.module.css';
import type { Amplification, Attribute, FanOut, RepeatedCalls, SpanSets } from './span-types';

const INTERVAL_WIDTH = 160;
const dash = <span className="muted">–</span>;
const name = (text: string) => <span className="mono">{visibleName(text)}</span>;

export function AmplificationTable({ sets, edge }: { sets: SpanSets; edge: string }) {
  const rows = sets.amplification;
  if (rows.length === 0) return null;
  const single = isSingle(sets);
  const axis = ratioAxis(
    rows.filter(isChanged).map(({ ratio, low, high, of }) => ({
      ratio,
      low: of === 'ratio' ? low : null,
      high: of === 'ratio' ? high : null,
    })),
  );
  const side = (id: 'base' | 'candidate', head: string): Column<Amplification> => ({
    id,
    head,
    width: 100,
    align: 'right',
    cell: (row) => (row[id] ? formatNumber(row[id].mean) : dash),
  });
  const most: Column<Amplification> = {
    id: 'max',
    head: 'p99 / max',
    width: 100,
    align: 'right',
    cell: (row) => {
      const shown = row.candidate ?? row.base;
      return shown ? `${formatNumber(shown.p99)} / ${formatNumber(shown.max)}` : dash;
    },
  };
  const place: Column<Amplification> = {
    id: 'edge',
    head: 'Caller and callee',
    cell: (row) => (
      <span className={classes.twoLines}>
        <span className={classes.line}>
          <b>{visibleName(row.caller)}</b> → <b>{visibleName(row.callee)}</b>
        </span>
        <span className={classes.second}>per request {visibleName(row.op)}</span>
      </span>
    ),
  };
  const change: Column<Amplification>[] = [
    {
      id: 'change',
      head: 'Change',
      width: 150,
      align: 'right',
      cell: (row) => (
        <span className={toneOf(row.state)}>
          {row.ratio === null ? '–' : formatRatio(row.ratio)}{' '}
          {row.of === 'ratio' && row.low !== null && row.high !== null && (
            <small className="muted">{formatRatioRange(row.low, row.high)}</small>
          )}
        </span>
      ),
    },
    {
      id: 'interval',
      head: <EffectAxis axis={axis} width={INTERVAL_WIDTH} />,
      label: 'ratio with its interval',
      width: INTERVAL_WIDTH + 16,
      cell: (row) => (
        <EffectInterval
          axis={axis}
          ratio={row.ratio}
          low={row.of === 'ratio' ? row.low : null}
          high={row.of === 'ratio' ? row.high : null}
          change={row.state}
          width={INTERVAL_WIDTH}
          height={42}
        />
      ),
    },
    {
      id: 'reads',
      head: 'Verdict',
      width: 128,
      cell: (row) => <span className="t2">{CALLS_TEXT[row.state]}</span>,
    },
  ];
  return (
    <Section title="Calls per request" aside="mean of calls to a service while it is served">
      <DataTable
        label="Calls per request"
        columns={
          single
            ? [place, side('base', 'Calls'), most]
            : [place, side('base', 'Base'), side('candidate', 'Candidate'), most, ...change]
        }
        rowCount={rows.length}
        rowAt={(index) => rows[index]!}
        rowKey={(row) => `${row.edge} ${row.op}`}
        rowHeight={42}
        selectedKey={keyOfEdge(rows, edge)}
        minWidth={single ? 560 : 1060}
      />
    </Section>
  );
}

const keyOfEdge = (rows: readonly Amplification[], edge: string): string | null => {
  const row = rows.find((each) => each.edge === edge);
  return row ? `${row.edge} ${row.op}` : null;
};

const CALLS_TEXT = {
  noise: 'not significant',
  more: 'makes more calls',
  less: 'makes fewer calls',
  'only-candidate': 'only in candidate',
  'only-base': 'only in base',
} as const;

export function FanOutTable({ sets }: { sets: SpanSets }) {
  const rows = sets.fan_out;
  if (rows.length === 0) return null;
  const columns: Column<FanOut>[] = [
    ...sideColumn<FanOut>(sets),
    {
      id: 'place',
      head: 'Caller and parallel callees',
      cell: (row) => (
        <span className={classes.twoLines}>
          <span className={classes.line}>{name(row.caller)}</span>
          <span className={classes.second}>
            {formatCount(row.n)} × {visibleName(row.callee)}
          </span>
        </span>
      ),
    },
    timeColumn('one', 'One call, p99', (row) => row.callee_p99_ns),
    timeColumn('expected', 'Slowest of them, p99', (row) => row.expected_p99_ns),
    timeColumn('observed', 'Caller, p99', (row) => row.observed_p99_ns),
    {
      id: 'reads',
      head: 'Verdict',
      width: 320,
      cell: (row) => (
        <span className="t2">
          {row.explains
            ? 'explained by the slowest call'
            : `slowest call explains ${formatShare(row.share)} of the tail`}
        </span>
      ),
    },
  ];
  return (
    <Section
      title="Fan-out tail latency"
      aside="tail explained by the slowest of several parallel calls"
    >
      <DataTable
        label="Fan-out tail latency"
        columns={columns}
        rowCount={rows.length}
        rowAt={(index) => rows[index]!}
        rowKey={(row) => `${row.side} ${row.caller} ${row.callee} ${row.n}`}
        rowHeight={42}
        minWidth={980}
      />
    </Section>
  );
}

function timeColumn<Row>(
  id: string,
  head: string,
  value: (row: Row) => number | null,
): Column<Row> {
  return {
    id,
    head,
    width: 132,
    align: 'right',
    cell: (row) => {
      const ns = value(row);
      return ns === null ? dash : formatValue(ns, 'ns');
    },
  };
}

/** Returns a column with the side of each row, if there are two sides. */
export function sideColumn<Row extends { side: 'base' | 'candidate' }>(
  sets: SpanSets,
): Column<Row>[] {
  if (isSingle(sets)) return [];
  return [
    { id: 'side', head: 'Side', width: 100, cell: (row) => <SideMark side={row.side} label /> },
  ];
}

type RepeatedProps = { sets: SpanSets; rows: RepeatedCalls[]; title: string; aside: string };

export function RepeatedTable({ sets, rows, title, aside }: RepeatedProps) {
  if (rows.length === 0) return null;
  const columns: Column<RepeatedCalls>[] = [
    ...sideColumn<RepeatedCalls>(sets),
    {
      id: 'place',
      head: 'Caller and repeated callee',
      cell: (row) => (
        <span className={classes.twoLines}>
          <span className={classes.line}>{name(row.caller)}</span>
          <span className={classes.second}>{visibleName(row.callee)}</span>
        </span>
      ),
    },
    number('traces', 'Traces', (row) => formatCount(row.traces)),
    number('mean', 'Mean', (row) => formatNumber(row.mean)),
    number('max', 'Max', (row) => formatNumber(row.max)),
    timeColumn('total', 'total time', (row) => row.total_ns),
  ];
  return (
    <Section title={title} aside={aside}>
      <DataTable
        label={title}
        columns={columns}
        rowCount={rows.length}
        rowAt={(index) => rows[index]!}
        rowKey={(row) => `${row.side} ${row.caller} ${row.callee}`}
        rowHeight={42}
        minWidth={720}
      />
    </Section>
  );
}

const number = <Row,>(id: string, head: string, cell: (row: Row) => string): Column<Row> => ({
  id,
  head,
  width: 96,
  align: 'right',
  cell,
});

export function AttributesTable({ rows }: { rows: Attribute[] }) {
  if (rows.length === 0) return null;
  const columns: Column<Attribute>[] = [
    { id: 'key', head: 'Attribute', cell: (row) => name(row.key) },
    { id: 'value', head: 'Value', width: '34%', cell: (row) => name(row.value) },
    number('slow', 'Share of slow', (row) => formatShare(row.slow_share)),
    number('fast', 'Share of others', (row) => formatShare(row.fast_share)),
    {
      id: 'q',
      head: 'Certainty',
      width: 110,
      align: 'right',
      cell: (row) => (
        <Term name="q-value" detail={`q ${formatProbability(row.q_value)}`}>
          significant
        </Term>
      ),
    },
  ];
  return (
    <Section
      title="Attributes of slow requests"
      aside="attributes of the slowest tenth against all others"
    >
      <DataTable
        label="Attributes of slow requests"
        columns={columns}
        rowCount={rows.length}
        rowAt={(index) => rows[index]!}
        rowKey={(row) => `${row.key} ${row.value}`}
        rowHeight={26}
        minWidth={640}
      />
    </Section>
  );
}
