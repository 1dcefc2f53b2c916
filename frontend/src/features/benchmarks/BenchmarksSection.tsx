/** Benchmarks of two sides: centers with their spread, the change with its p, a table per unit; the same verdicts as benchstat. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { formatProbability, formatRatio, visibleName } from '../../engine';
import {
  DataTable,
  DoubtMark,
  EmptyState,
  ErrorState,
  Section,
  SkeletonRows,
  countOf,
  type Column,
} from '../../ui';
import {
  byUnit,
  centerText,
  changeOfRow,
  isWorse,
  sortedBenchmarks,
  spreadText,
  unitText,
  wordsOf,
} from './bench-rows';
import classes from './benchmarks.module.css';
import { benchmarksQuery } from './queries';
import type { BenchDocument, BenchRow, BenchSummary } from './types';
import type { BenchView } from './url';

export type BenchmarksSectionProps = {
  comparisonId: string;
  view: BenchView;
  onView: (view: BenchView) => void;
};

export default function BenchmarksSection({ comparisonId, view, onView }: BenchmarksSectionProps) {
  const benchmarks = useQuery(benchmarksQuery(comparisonId));
  if (benchmarks.error) {
    return (
      <div className={classes.inset}>
        <ErrorState
          what="The benchmarks could not be read"
          error={benchmarks.error}
          action={<Button onClick={() => void benchmarks.refetch()}>Try again</Button>}
        />
      </div>
    );
  }
  if (!benchmarks.data) {
    return (
      <div className={classes.inset}>
        <SkeletonRows rows={12} height={26} label="Reading the benchmarks" />
      </div>
    );
  }
  return <Units told={benchmarks.data} view={view} onView={onView} />;
}

type UnitsProps = { told: BenchDocument; view: BenchView; onView: (view: BenchView) => void };

function Units({ told, view, onView }: UnitsProps) {
  const units = useMemo(() => byUnit(told.rows), [told.rows]);
  const columns = useMemo(() => columnsOf(), []);
  if (units.length === 0) {
    return (
      <Section title="Benchmarks">
        <EmptyState>No benchmark stands on both sides, so there is nothing to compare.</EmptyState>
      </Section>
    );
  }
  return (
    <>
      {told.warnings.length > 0 && (
        <p className={classes.warnings}>
          <DoubtMark />
          {told.warnings.slice(0, 5).join(' · ')}
        </p>
      )}
      {units.map(([unit, rows]) => {
        const sorted = sortedBenchmarks(rows, view.sort);
        const mean = told.geomeans.find((one) => one.unit === unit)?.ratio ?? null;
        return (
          <Section
            key={unit}
            title={visibleName(unitText(unit))}
            aside={`${countOf(rows.length, 'benchmark')}${mean === null ? '' : ` · geometric mean ${formatRatio(mean)}`}`}
          >
            <DataTable
              label={`Benchmarks in ${unitText(unit)}`}
              columns={columns}
              rowCount={sorted.length}
              rowAt={(index) => sorted[index]!}
              rowKey={(row) => `${row.name} ${JSON.stringify(row.config)}`}
              rowHeight={26}
              sort={view.sort}
              onSort={(sort) => {
                onView({ sort });
              }}
              minWidth={960}
            />
          </Section>
        );
      })}
    </>
  );
}

const configText = (row: BenchRow): string =>
  Object.entries(row.config ?? {})
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ');

function columnsOf(): Column<BenchRow>[] {
  const side = (name: 'base' | 'candidate'): Column<BenchRow> => ({
    id: name,
    head: name,
    width: 156,
    align: 'right',
    cell: (row) => <Center side={row[name]} unit={row.unit} />,
  });
  return [
    {
      id: 'name',
      head: 'benchmark',
      mono: true,
      sortable: true,
      cell: (row) => (
        <span title={`${row.name} ${configText(row)}`.trim()}>{visibleName(row.name)}</span>
      ),
    },
    side('base'),
    side('candidate'),
    {
      id: 'change',
      head: 'change',
      width: 92,
      align: 'right',
      sortable: true,
      cell: (row) => <Ratio row={row} />,
    },
    {
      id: 'p',
      head: 'p',
      width: 74,
      align: 'right',
      sortable: true,
      cell: (row) => (
        <span className="t2">
          {row.p === null ? '–' : formatProbability(row.p).replace(' ', '')}
        </span>
      ),
    },
    {
      id: 'n',
      head: 'n',
      width: 70,
      align: 'right',
      cell: (row) => (
        <span className="muted">{`${row.base?.n ?? 0} + ${row.candidate?.n ?? 0}`}</span>
      ),
    },
    {
      id: 'reads',
      head: 'reads as',
      width: 232,
      cell: (row) => (
        <span className="t2" title={row.warnings.join(' · ')}>
          {wordsOf(row)}
          {row.warnings.length > 0 && <span className="muted"> · {row.warnings[0]}</span>}
        </span>
      ),
    },
  ];
}

function Center({ side, unit }: { side: BenchSummary | null; unit: string }) {
  return (
    <>
      {centerText(side, unit)} <span className={classes.spread}>{spreadText(side)}</span>
    </>
  );
}

function Ratio({ row }: { row: BenchRow }) {
  if (changeOfRow(row) === 'noise')
    return <span className="muted">{row.ratio === null ? '–' : '~'}</span>;
  if (row.ratio === null) return <span className="muted">no ratio</span>;
  return (
    <span className={`${classes.strong} ${isWorse(row) ? 'more' : 'less'}`}>
      {formatRatio(row.ratio)}
    </span>
  );
}
