/** A table of goroutine groups by wake reason, with the scheduler latency and its change. */
import { useMemo, useState } from 'react';
import { EffectAxis, EffectInterval } from '../../../charts';
import type { Change } from '../../../engine/format/change-class';
import { formatCount, formatNumber, formatShare, formatValue } from '../../../engine/format/format';
import { visibleName } from '../../../engine/flame/frame-label';
import { ratioAxis, type RatioAxis } from '../../../engine/format/ratio-axis';
import { foldersOf, shortName } from '../../../engine/format/short-function-name';
import { DataTable, type Column } from '../../../ui';
import { BothSides, dash } from './BothSides';
import classes from './traces.module.css';
import type { TraceDocument, Waiter } from './trace-types';
import { QUANTILES, type QuantileId, type TraceView } from './trace-url';
import { QUANTILE_NAMES, changeAt, quantileOf, sortedWaiters } from './waiter-rows';
import { VERDICTS, verdictText } from './trace-wording';

const SHOWN_FIRST = 12;
const INTERVAL_WIDTH = 150;
/** Intervals are clipped to this range, so that wide ones of rare waits do not stretch the axis. */
const AXIS_LOW = 1 / 16;
const AXIS_HIGH = 256;

type TableProps = {
  data: TraceDocument;
  chosen: Waiter | null;
  view: TraceView;
  onView: (changed: Partial<TraceView>) => void;
};

export function GroupsTable({ data, chosen, view, onView }: TableProps) {
  const single = data.sides.candidate === null;
  const { quantile, sort } = view;
  const rows = useMemo(
    () => sortedWaiters(data.groups, sort, quantile),
    [data.groups, sort, quantile],
  );
  const axis = useMemo(() => axisOf(rows, quantile), [rows, quantile]);
  const place = chosen ? rows.indexOf(chosen) : -1;
  const [all, setAll] = useState(false);
  const whole = all || rows.length <= SHOWN_FIRST + 2 || place >= SHOWN_FIRST;
  const shown = whole ? rows.length : SHOWN_FIRST;
  const columns = useMemo(() => columnsOf(single, quantile, axis), [single, quantile, axis]);
  return (
    <>
      <DataTable
        label="Scheduler latency by goroutine group and wake reason"
        columns={columns}
        rowCount={shown}
        rowAt={(index) => rows[index]!}
        rowKey={(row) => row.waiter}
        rowHeight={26}
        sort={sort}
        onSort={(next) => onView({ sort: next })}
        onRowClick={(row) => onView({ waiter: row.waiter, wait: '', window: { from: 0, to: 1 } })}
        selectedKey={chosen?.waiter ?? null}
        minWidth={single ? 900 : 1360}
      />
      {shown < rows.length && (
        <p className={classes.rest}>
          <button type="button" className="link" onClick={() => setAll(true)}>
            {formatCount(rows.length - shown)} more groups and reasons
          </button>
        </p>
      )}
    </>
  );
}

function axisOf(rows: Waiter[], quantile: QuantileId): RatioAxis {
  const held = (bound: number | null | undefined) =>
    bound === null || bound === undefined ? null : Math.min(AXIS_HIGH, Math.max(AXIS_LOW, bound));
  return ratioAxis(
    rows
      .filter((row) => changeAt(row, quantile) !== 'noise')
      .map((row) => {
        const change = row.change[quantile];
        return { ratio: held(change?.ratio), low: held(change?.low), high: held(change?.high) };
      }),
  );
}

/** Returns the column with the change of the selected quantile and its interval. */
function changeColumn(quantile: QuantileId, axis: RatioAxis): Column<Waiter> {
  return {
    id: 'change',
    head: <EffectAxis axis={axis} width={INTERVAL_WIDTH} />,
    label: `change of ${QUANTILE_NAMES[quantile]}, with its interval`,
    width: INTERVAL_WIDTH + 12,
    cell: (row) => {
      const change = row.change[quantile];
      return (
        <EffectInterval
          axis={axis}
          ratio={change?.ratio ?? null}
          low={change?.low ?? null}
          high={change?.high ?? null}
          change={changeAt(row, quantile)}
          width={INTERVAL_WIDTH}
          height={26}
        />
      );
    },
  };
}

function columnsOf(single: boolean, quantile: QuantileId, axis: RatioAxis): Column<Waiter>[] {
  const time = (ns: number | null) => (ns === null ? null : formatValue(ns, 'ns'));
  const columns: (Column<Waiter> | null)[] = [
    {
      id: 'group',
      head: 'Goroutine group',
      mono: true,
      sortable: true,
      cell: (row) => (
        <span
          title={
            row.start && row.start !== row.group
              ? `${row.group}, started in ${row.start}`
              : row.group
          }
        >
          {visibleName(shortName(row.group))} <span className="muted">{foldersOf(row.group)}</span>
        </span>
      ),
    },
    {
      id: 'reason',
      head: 'Wake reason',
      width: 124,
      sortable: true,
      cell: (row) => (
        <span className="t2" title={row.reason}>
          {row.reason || '–'}
        </span>
      ),
    },
    {
      id: 'waits',
      head: 'Waits/s',
      width: 70,
      align: 'right',
      sortable: true,
      // The rate of one side: it hardly differs between sides, and latencies need the space.
      cell: (row) => <span className="t2">{rateText(row.candidate ?? row.base) ?? dash}</span>,
    },
    ...QUANTILES.map((id): Column<Waiter> => ({
      id,
      head: id === quantile ? <b className="t2">{QUANTILE_NAMES[id]}</b> : QUANTILE_NAMES[id],
      width: single ? 92 : 130,
      align: 'right',
      sortable: true,
      cell: (row) => (
        <BothSides
          single={single}
          base={time(quantileOf(row.base, id))}
          candidate={time(quantileOf(row.candidate, id))}
          change={changeAt(row, id)}
        />
      ),
    })),
    single ? null : changeColumn(quantile, axis),
    {
      id: 'share',
      head: 'Share of wait time',
      width: single ? 112 : 136,
      align: 'right',
      sortable: true,
      cell: (row) => (
        <BothSides
          single={single}
          base={shareText(row.share_of_wait_base)}
          candidate={shareText(row.share_of_wait_candidate)}
        />
      ),
    },
    {
      id: 'verdict',
      head: single ? 'Waits' : 'Verdict',
      width: single ? 120 : 208,
      sortable: true,
      cell: (row) => <Reads row={row} single={single} quantile={quantile} />,
    },
  ];
  return columns.filter((column) => column !== null);
}

const rateText = (delays: Waiter['base']): string | null =>
  delays?.waits_per_second == null ? null : formatNumber(delays.waits_per_second);
const shareText = (share: number | null): string | null =>
  share === null || share === 0 ? null : formatShare(share);

const CHANGES: Record<Change, string> = {
  more: 'waits longer',
  less: 'waits less',
  'only-candidate': 'only in candidate',
  'only-base': 'only in base',
  noise: 'not significant',
};

/** Describes the change of a row and what occupied the Ps during its waits. */
function Reads({ row, single, quantile }: { row: Waiter; single: boolean; quantile: QuantileId }) {
  const verdict = single ? row.verdict_base : (row.verdict_candidate ?? row.verdict_base);
  const why = <span title={VERDICTS[verdict ?? '']?.meaning}>{verdictText(verdict)}</span>;
  if (single) return <span className="t2">{why}</span>;
  // A group can have changed without a change of this quantile.
  const change = row.state.startsWith('only-') ? row.state : changeAt(row, quantile);
  return (
    <span className="t2">
      {CHANGES[change]}
      {verdict !== null && change !== 'noise' && <>, {why}</>}
    </span>
  );
}
