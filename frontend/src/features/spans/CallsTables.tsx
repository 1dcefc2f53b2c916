/** Calls: how many a request makes, whether waiting for the slowest explains its tail, and calls that come again. */
import { EffectAxis, EffectInterval } from '../../charts';
import {
  formatCount,
  formatNumber,
  formatProbability,
  formatRatio,
  formatRatioRange,
  formatShare,
  formatValue,
  ratioAxis,
  visibleName,
} from '../../engine';
import { DataTable, Section, SideMark, type Column } from '../../ui';
import { toneOf } from './GapsTable';
import { isChanged, isSingle } from './rows';
import classes from './spans.module.css';
import type { Amplification, Attribute, FanOut, Repeated, SpanSets } from './types';

const INTERVAL_WIDTH = 160;
const dash = <span className="muted">–</span>;
const name = (text: string) => <span className="mono">{visibleName(text)}</span>;

export function AmplificationTable({ told, edge }: { told: SpanSets; edge: string }) {
  const rows = told.amplification;
  if (rows.length === 0) return null;
  const single = isSingle(told);
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
    head: 'p99 / most',
    width: 100,
    align: 'right',
    cell: (row) => {
      const shown = row.candidate ?? row.base;
      return shown ? `${formatNumber(shown.p99)} / ${formatNumber(shown.max)}` : dash;
    },
  };
  const place: Column<Amplification> = {
    id: 'edge',
    head: 'caller and callee',
    cell: (row) => (
      <span className={classes.twoLines}>
        <span className={classes.line}>
          <b>{visibleName(row.caller)}</b> → <b>{visibleName(row.callee)}</b>
        </span>
        <span className={classes.second}>for each {visibleName(row.op)}</span>
      </span>
    ),
  };
  const change: Column<Amplification>[] = [
    {
      id: 'change',
      head: 'change',
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
      head: 'reads as',
      width: 128,
      cell: (row) => <span className="t2">{CALLS_TEXT[row.state]}</span>,
    },
  ];
  return (
    <Section title="Calls for each request" aside="mean of calls to a service while it is served">
      <DataTable
        label="Calls for each request"
        columns={
          single
            ? [place, side('base', 'calls'), most]
            : [place, side('base', 'base'), side('candidate', 'candidate'), most, ...change]
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
  noise: 'inside the noise',
  more: 'makes more calls',
  less: 'makes fewer calls',
  'only-candidate': 'only in candidate',
  'only-base': 'only in base',
} as const;

export function FanOutTable({ told }: { told: SpanSets }) {
  const rows = told.fan_out;
  if (rows.length === 0) return null;
  const columns: Column<FanOut>[] = [
    ...sideColumn<FanOut>(told),
    {
      id: 'place',
      head: 'caller, and what it calls at once',
      cell: (row) => (
        <span className={classes.twoLines}>
          <span className={classes.line}>{name(row.caller)}</span>
          <span className={classes.second}>
            {formatCount(row.n)} × {visibleName(row.callee)}
          </span>
        </span>
      ),
    },
    timeColumn('one', 'one call, p99', (row) => row.callee_p99_ns),
    timeColumn('expected', 'slowest of them, p99', (row) => row.expected_p99_ns),
    timeColumn('observed', 'caller, p99', (row) => row.observed_p99_ns),
    {
      id: 'reads',
      head: 'reads as',
      width: 320,
      cell: (row) => (
        <span className="t2">
          {row.explains
            ? 'waiting for the slowest explains the tail'
            : `the slowest explains only ${formatShare(row.share ?? 0)} of the tail`}
        </span>
      ),
    },
  ];
  return (
    <Section
      title="Tail of fan-outs"
      aside="does waiting for the slowest of several calls explain it"
    >
      <DataTable
        label="Tail of fan-outs"
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

/** Whose row it is, where there are two sides. */
export function sideColumn<Row extends { side: 'base' | 'candidate' }>(
  told: SpanSets,
): Column<Row>[] {
  if (isSingle(told)) return [];
  return [
    { id: 'side', head: 'side', width: 100, cell: (row) => <SideMark side={row.side} label /> },
  ];
}

type RepeatedProps = { told: SpanSets; rows: Repeated[]; title: string; aside: string };

export function RepeatedTable({ told, rows, title, aside }: RepeatedProps) {
  if (rows.length === 0) return null;
  const columns: Column<Repeated>[] = [
    ...sideColumn<Repeated>(told),
    {
      id: 'place',
      head: 'caller, and what it calls again',
      cell: (row) => (
        <span className={classes.twoLines}>
          <span className={classes.line}>{name(row.caller)}</span>
          <span className={classes.second}>{visibleName(row.callee)}</span>
        </span>
      ),
    },
    number('traces', 'traces', (row) => formatCount(row.traces)),
    number('mean', 'mean', (row) => formatNumber(row.mean)),
    number('max', 'most', (row) => formatNumber(row.max)),
    timeColumn('total', 'time in all', (row) => row.total_ns),
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
    { id: 'key', head: 'attribute', cell: (row) => name(row.key) },
    { id: 'value', head: 'value', width: '34%', cell: (row) => name(row.value) },
    number('slow', 'of slow', (row) => formatShare(row.slow_share)),
    number('fast', 'of others', (row) => formatShare(row.fast_share)),
    number('q', 'q', (row) => (row.q_value === null ? '–' : formatProbability(row.q_value))),
  ];
  return (
    <Section
      title="What slow requests have in common"
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
