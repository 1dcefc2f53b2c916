/** A table of gaps by edge: between which calls no span is recorded, how long, and any change. */
import { SegmentedControl } from '@mantine/core';
import { useMemo } from 'react';
import { EffectAxis, EffectInterval } from '../../../charts';
import {
  formatCount,
  formatDelta,
  formatRatio,
  formatRatioRange,
  formatShare,
  formatValue,
} from '../../../engine/format/format';
import { visibleName } from '../../../engine/flame/frame-label';
import { ratioAxis, type RatioAxis } from '../../../engine/format/ratio-axis';
import { DataTable, EmptyState, Section, countOf, type Column } from '../../../ui';
import { SpanText } from './SpanText';
import { changeAt, gapNs, isChanged, isSingle, ratioOf, sortedGaps, stateAt } from './span-rows';
import classes from './spans.module.css';
import type { Gap, SpanSets } from './span-types';
import { GAP_QUANTILES, type GapQuantile, type SpansView } from './span-url';
import { gapPlace } from './span-wording';

const INTERVAL_WIDTH = 160;

type TableProps = {
  sets: SpanSets;
  view: SpansView;
  onView: (changed: Partial<SpansView>) => void;
};

export function GapsTable({ sets, view, onView }: TableProps) {
  const single = isSingle(sets);
  const { quantile, sort, edge } = view;
  const rows = useMemo(() => sortedGaps(sets.gaps, sort, quantile), [sets.gaps, sort, quantile]);
  const axis = useMemo(
    () => ratioAxis(rows.filter(isChanged).map((row) => ratioOf(row, quantile))),
    [rows, quantile],
  );
  const columns = useMemo(() => columnsOf(single, quantile, axis), [single, quantile, axis]);
  const changed = sets.gaps.filter(isChanged).length;
  return (
    <Section
      title="Gaps by position"
      aside={
        single
          ? `${countOf(rows.length, 'position')} · self time not covered by a child span`
          : `${countOf(rows.length, 'position')}, ${changed === 0 ? 'none' : changed} significant`
      }
      controls={
        <SegmentedControl
          aria-label="Quantile of gaps"
          data={[...GAP_QUANTILES]}
          value={quantile}
          onChange={(next) => onView({ quantile: next })}
        />
      }
    >
      {rows.length === 0 ? (
        <EmptyState help="gaps">No significant gaps.</EmptyState>
      ) : (
        <DataTable
          label="Gaps by edge"
          columns={columns}
          rowCount={rows.length}
          rowAt={(index) => rows[index]!}
          rowKey={(row) => row.edge}
          rowHeight={42}
          sort={sort}
          onSort={(next) => onView({ sort: next })}
          onRowClick={(row) => onView({ edge: row.edge === edge ? '' : row.edge })}
          selectedKey={edge === '' ? null : edge}
          minWidth={single ? 760 : 1160}
        />
      )}
    </Section>
  );
}

const CHANGE_TEXT = {
  noise: 'not significant',
  more: 'takes more time',
  less: 'takes less time',
  'only-candidate': 'only in candidate',
  'only-base': 'only in base',
} as const;

export const toneOf = (state: keyof typeof CHANGE_TEXT): string =>
  state === 'noise' ? 'muted' : state === 'more' || state === 'only-candidate' ? 'more' : 'less';

const dash = <span className="muted">–</span>;
const timeCell = (ns: number | null) => (ns === null ? dash : formatValue(ns, 'ns'));

function columnsOf(single: boolean, quantile: GapQuantile, axis: RatioAxis): Column<Gap>[] {
  const place: Column<Gap> = {
    id: 'edge',
    head: 'Position',
    sortable: true,
    cell: (row) => (
      <span className={classes.twoLines} title={row.edge}>
        <span className={classes.line}>
          <b>{visibleName(row.service)}</b> <span className="mono">{visibleName(row.op)}</span>
        </span>
        <span className={classes.second}>
          {row.leaf ? 'self time, no child spans' : <SpanText words={gapPlace(row)} />}
        </span>
      </span>
    ),
  };
  const share: Column<Gap> = {
    id: 'share',
    head: 'Share of request',
    width: 96,
    align: 'right',
    sortable: true,
    cell: (row) => {
      const side = row.candidate ?? row.base;
      return side ? formatShare(side.share) : dash;
    },
  };
  const count: Column<Gap> = {
    id: 'n',
    head: 'Count',
    width: 80,
    align: 'right',
    sortable: true,
    cell: (row) => formatCount((row.candidate ?? row.base)?.n ?? 0),
  };
  const time = (id: 'base' | 'candidate', head: string): Column<Gap> => ({
    id,
    head,
    width: 104,
    align: 'right',
    sortable: true,
    cell: (row) => timeCell(gapNs(row, id, quantile)),
  });
  if (single) return [place, time('base', quantile), perRequest, share, count];
  return [
    place,
    time('base', `Base ${quantile}`),
    time('candidate', 'Candidate'),
    {
      id: 'change',
      head: 'Change',
      width: 150,
      align: 'right',
      sortable: true,
      cell: (row) => <Change row={row} quantile={quantile} />,
    },
    {
      id: 'interval',
      head: <EffectAxis axis={axis} width={INTERVAL_WIDTH} />,
      label: 'ratio with its interval',
      width: INTERVAL_WIDTH + 16,
      cell: (row) => (
        <EffectInterval
          axis={axis}
          {...ratioOf(row, quantile)}
          change={stateAt(row, quantile)}
          width={INTERVAL_WIDTH}
          height={42}
        />
      ),
    },
    share,
    {
      id: 'reads',
      head: 'Verdict',
      width: 128,
      cell: (row) => <span className="t2">{CHANGE_TEXT[stateAt(row, quantile)]}</span>,
    },
  ];
}

const perRequest: Column<Gap> = {
  id: 'request',
  head: 'Per request',
  width: 104,
  align: 'right',
  cell: (row) => timeCell((row.candidate ?? row.base)?.per_request_ns ?? null),
};

function Change({ row, quantile }: { row: Gap; quantile: GapQuantile }) {
  const { ratio, low, high } = ratioOf(row, quantile);
  const change = changeAt(row, quantile);
  if (!change) return dash;
  return (
    <span className={toneOf(stateAt(row, quantile))}>
      {ratio === null ? formatDelta(change.difference ?? 0, 'ns') : formatRatio(ratio)}{' '}
      {low !== null && high !== null && (
        <small className="muted">{formatRatioRange(low, high)}</small>
      )}
    </span>
  );
}
