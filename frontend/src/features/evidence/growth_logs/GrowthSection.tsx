/** Stack growths of an instrumented runtime: a row per set, and the paths on which stacks grow. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { EffectAxis, EffectInterval } from '../../../charts';
import type { Change } from '../../../engine/format/change-class';
import {
  formatCount,
  formatNumber,
  formatRatio,
  formatRatioRange,
} from '../../../engine/format/format';
import { visibleName } from '../../../engine/flame/frame-label';
import { ratioAxis } from '../../../engine/format/ratio-axis';
import { shortName } from '../../../engine/format/short-function-name';
import { DataTable, EmptyState, ErrorState, Section, SkeletonRows, type Column } from '../../../ui';
import { GrowthSets } from './GrowthSets';
import classes from './growth.module.css';
import {
  MEASURES,
  amountOf,
  measureOf,
  sizesText,
  sortedGrowth,
  type Measure,
} from './growth-rows';
import { growthQuery } from './growth-queries';
import type { GrowthRow } from './growth-types';
import type { GrowthView } from './growth-url';

const INTERVAL_WIDTH = 200;

export type GrowthSectionProps = {
  comparisonId: string;
  view: GrowthView;
  onView: (view: GrowthView) => void;
};

export default function GrowthSection({ comparisonId, view, onView }: GrowthSectionProps) {
  const growth = useQuery(growthQuery(comparisonId));
  if (growth.error) {
    return (
      <div className={classes.inset}>
        <ErrorState
          what="Could not load the stack-growth logs"
          error={growth.error}
          action={<Button onClick={() => void growth.refetch()}>Try again</Button>}
        />
      </div>
    );
  }
  if (!growth.data) {
    return (
      <div className={classes.inset}>
        <SkeletonRows rows={12} height={26} label="Loading the stack-growth logs" />
      </div>
    );
  }
  return (
    <>
      <GrowthSets sets={growth.data.sets} />
      <Paths rows={growth.data.rows} view={view} onView={onView} />
    </>
  );
}

type PathsProps = { rows: GrowthRow[]; view: GrowthView; onView: (view: GrowthView) => void };

function Paths({ rows, view, onView }: PathsProps) {
  const measure = useMemo(() => measureOf(rows), [rows]);
  const sorted = useMemo(() => sortedGrowth(rows, view.sort, measure), [rows, view.sort, measure]);
  const axis = useMemo(
    () => ratioAxis(rows.filter(({ state, ratio }) => state !== 'noise' && ratio)),
    [rows],
  );
  const columns = useMemo(() => columnsOf(measure, axis), [measure, axis]);
  return (
    <Section
      title="Callers that grow the stack"
      aside={`${formatCount(rows.length)} paths · ${MEASURES[measure]}`}
    >
      {rows.length === 0 ? (
        <EmptyState>No stack growth was sampled on either side.</EmptyState>
      ) : (
        <DataTable
          label="Call paths that grow the stack"
          columns={columns}
          rowCount={sorted.length}
          rowAt={(index) => sorted[index]!}
          rowKey={(row) =>
            `${row.attributed_caller} ${row.old_bytes} ${row.new_bytes} ${row.path.join(' ')}`
          }
          rowHeight={42}
          sort={view.sort}
          onSort={(sort) => onView({ sort })}
          minWidth={1060}
        />
      )}
    </Section>
  );
}

const WORDS: Record<Change, string> = {
  more: 'grows more often',
  less: 'grows less often',
  'only-candidate': 'only in candidate',
  'only-base': 'only in base',
  noise: 'not significant',
};

function columnsOf(measure: Measure, axis: ReturnType<typeof ratioAxis>): Column<GrowthRow>[] {
  const amount = (value: number) =>
    value === 0 ? (
      <span className="muted">–</span>
    ) : measure === 'sampled' ? (
      formatCount(value)
    ) : (
      formatNumber(value)
    );
  return [
    {
      id: 'caller',
      head: 'Attributed to (path)',
      sortable: true,
      cell: (row) => (
        <span className={classes.twoLines}>
          <span className={`${classes.line} mono`} title={row.attributed_caller}>
            {visibleName(shortName(row.attributed_caller))}
          </span>
          <span className={classes.second} title={row.path.join(' › ')}>
            {row.path.map((name) => visibleName(shortName(name))).join(' › ') || 'no path recorded'}
          </span>
        </span>
      ),
    },
    {
      id: 'size',
      head: 'Stack size',
      width: 136,
      align: 'right',
      sortable: true,
      cell: sizesText,
    },
    {
      id: 'base',
      head: 'Base',
      width: 96,
      align: 'right',
      sortable: true,
      cell: (row) => amount(amountOf(row.base, measure)),
    },
    {
      id: 'candidate',
      head: 'Candidate',
      width: 96,
      align: 'right',
      sortable: true,
      cell: (row) => amount(amountOf(row.candidate, measure)),
    },
    {
      id: 'change',
      head: 'Change',
      width: 130,
      align: 'right',
      sortable: true,
      cell: (row) => (
        <span className={toneOf(row.state)}>
          {row.ratio ? formatRatio(row.ratio) : 'no ratio'}{' '}
          {row.ratio !== 0 && row.low !== null && row.high !== null && (
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
          ratio={row.ratio === 0 ? null : row.ratio}
          low={row.low}
          high={row.high}
          change={row.state}
          width={INTERVAL_WIDTH}
          height={42}
        />
      ),
    },
    {
      id: 'reads',
      head: 'Verdict',
      width: 132,
      cell: (row) => <span className="t2">{WORDS[row.state]}</span>,
    },
  ];
}

const toneOf = (state: Change): string =>
  state === 'noise' ? 'muted' : state === 'more' || state === 'only-candidate' ? 'more' : 'less';
