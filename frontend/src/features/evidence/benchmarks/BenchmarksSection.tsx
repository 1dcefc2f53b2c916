/**
 * Benchmarks of two sides, a table per unit: centers with their spread, and changes with p-values;
 * the verdicts are those of benchstat.
 */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { formatProbability, formatRatio } from '../../../engine/format/format';
import { visibleName } from '../../../engine/flame/frame-label';
import {
  DataTable,
  CaveatIcon,
  EmptyState,
  ErrorState,
  Section,
  SkeletonRows,
  countOf,
  type Column,
} from '../../../ui';
import {
  byUnit,
  centerText,
  changeOfRow,
  isWorse,
  sortedBenchmarks,
  spreadText,
  unitText,
  changeLabelOf,
} from './bench-rows';
import classes from './benchmarks.module.css';
import { benchmarksQuery } from './benchmark-queries';
import type { BenchmarkDocument, BenchmarkRow, BenchmarkSummary } from './benchmark-types';
import type { BenchmarkView } from './benchmark-url';

export type BenchmarksSectionProps = {
  comparisonId: string;
  view: BenchmarkView;
  onView: (view: BenchmarkView) => void;
};

export default function BenchmarksSection({ comparisonId, view, onView }: BenchmarksSectionProps) {
  const benchmarks = useQuery(benchmarksQuery(comparisonId));
  if (benchmarks.error) {
    return (
      <div className={classes.inset}>
        <ErrorState
          what="Could not load the benchmarks"
          error={benchmarks.error}
          action={<Button onClick={() => void benchmarks.refetch()}>Try again</Button>}
        />
      </div>
    );
  }
  if (!benchmarks.data) {
    return (
      <div className={classes.inset}>
        <SkeletonRows rows={12} height={26} label="Loading the benchmarks" />
      </div>
    );
  }
  return <Units data={benchmarks.data} view={view} onView={onView} />;
}

type UnitsProps = {
  data: BenchmarkDocument;
  view: BenchmarkView;
  onView: (view: BenchmarkView) => void;
};

function Units({ data, view, onView }: UnitsProps) {
  const units = useMemo(() => byUnit(data.rows), [data.rows]);
  const columns = useMemo(() => columnsOf(), []);
  if (units.length === 0) {
    return (
      <Section title="Benchmarks">
        <EmptyState>No benchmark was run on both sides.</EmptyState>
      </Section>
    );
  }
  return (
    <>
      {data.warnings.length > 0 && (
        <p className={classes.warnings}>
          <CaveatIcon />
          {data.warnings.slice(0, 5).join(' · ')}
        </p>
      )}
      {units.map(([unit, rows]) => {
        const sorted = sortedBenchmarks(rows, view.sort);
        const mean = data.geomeans.find((one) => one.unit === unit)?.ratio ?? null;
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
              onSort={(sort) => onView({ sort })}
              minWidth={960}
            />
          </Section>
        );
      })}
    </>
  );
}

const configText = (row: BenchmarkRow): string =>
  Object.entries(row.config)
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ');

function columnsOf(): Column<BenchmarkRow>[] {
  const side = (name: 'base' | 'candidate'): Column<BenchmarkRow> => ({
    id: name,
    head: name,
    width: 156,
    align: 'right',
    cell: (row) => <Center side={row[name]} unit={row.unit} />,
  });
  return [
    {
      id: 'name',
      head: 'Benchmark',
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
      head: 'Change',
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
      cell: (row) => <span className="muted">{`${row.base.n} + ${row.candidate.n}`}</span>,
    },
    {
      id: 'reads',
      head: 'Verdict',
      width: 232,
      cell: (row) => (
        <span className="t2" title={row.warnings.join(' · ')}>
          {changeLabelOf(row)}
          {row.warnings.length > 0 && <span className="muted"> · {row.warnings[0]}</span>}
        </span>
      ),
    },
  ];
}

function Center({ side, unit }: { side: BenchmarkSummary; unit: string }) {
  return (
    <>
      {centerText(side, unit)} <span className={classes.spread}>{spreadText(side)}</span>
    </>
  );
}

function Ratio({ row }: { row: BenchmarkRow }) {
  if (changeOfRow(row) === 'noise')
    return <span className="muted">{row.ratio === null ? '–' : '~'}</span>;
  if (row.ratio === null) return <span className="muted">no ratio</span>;
  const worse = isWorse(row);
  return (
    <span
      className={[classes.strong, worse !== null && (worse ? 'more' : 'less')]
        .filter(Boolean)
        .join(' ')}
    >
      {formatRatio(row.ratio)}
    </span>
  );
}
