/**
 * A drawer with the lines of a function: its source on both sides, and base, candidate and
 * difference of each line.
 */
import { Button, Drawer, SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { use, useMemo } from 'react';
import type { FunctionSource, Line } from '../../../../api';
import { normalizationPhrase } from '../../../../engine/format/change-wording';
import { columnScale, unitOf } from '../../../../engine/format/format';
import {
  DataTable,
  EmptyState,
  ErrorState,
  SkeletonRows,
  countOf,
  useIsSnapshot,
  type Column,
} from '../../../../ui';
import { Assembly } from '../../../evidence/executables';
import { FunctionSourceSides } from './FunctionSourceSides';
import classes from '../shared/Page.module.css';
import { linesQuery, sourceQuery } from '../shared/comparison-queries';
import { SuspectContext } from '../suspect-context';

type LinesProps = {
  comparisonId: string;
  viewId: string;
  name: string;
  scaled: { unit: string; base: number; candidate: number };
  assembly: boolean;
  onAssembly: (assembly: boolean) => void;
  onClose: () => void;
};

type Shown = {
  line: number;
  baseSelf: number;
  candidateSelf: number;
  baseAttributed: number;
  candidateAttributed: number;
  base: number;
  candidate: number;
};

export function SourceLinesDrawer(props: LinesProps) {
  const { comparisonId, viewId, name, scaled, assembly, onAssembly, onClose } = props;
  const suspect = use(SuspectContext);
  const isSnapshot = useIsSnapshot();
  return (
    <Drawer
      opened={name !== ''}
      onClose={onClose}
      size="min(1200px, 100%)"
      title={<span className="mono">{name}</span>}
      closeButtonProps={{ 'aria-label': 'Close lines' }}
    >
      {name !== '' && (
        <>
          <div className={classes.suspect}>{suspect}</div>
          {!isSnapshot && (
            <SegmentedControl
              size="xs"
              mb={8}
              mr={12}
              aria-label="Lines or assembly"
              data={['Lines', 'Assembly']}
              value={assembly ? 'Assembly' : 'Lines'}
              onChange={(chosen) => onAssembly(chosen === 'Assembly')}
            />
          )}
          {assembly && !isSnapshot ? (
            <SidesAssembly comparisonId={comparisonId} viewId={viewId} name={name} />
          ) : (
            <>
              <FunctionSourceSides
                comparisonId={comparisonId}
                viewId={viewId}
                name={name}
                scaled={scaled}
              />
              <Lines comparisonId={comparisonId} viewId={viewId} name={name} scaled={scaled} />
            </>
          )}
        </>
      )}
    </Drawer>
  );
}

type FunctionProps = Pick<LinesProps, 'comparisonId' | 'viewId' | 'name'>;

/** The assembly of both sides, with the source text of the function between the instructions. */
function SidesAssembly({ comparisonId, viewId, name }: FunctionProps) {
  const { data } = useQuery(sourceQuery({ comparison_id: comparisonId, view_id: viewId }, name));
  const texts = useMemo(
    () => (data ? { base: textOf(data.base), candidate: textOf(data.candidate) } : {}),
    [data],
  );
  return <Assembly of={{ comparison_id: comparisonId }} name={name} texts={texts} />;
}

const textOf = ({ lines }: FunctionSource) => new Map(lines.map((one) => [one.number, one.text]));

function Lines({ comparisonId, viewId, name, scaled }: FunctionProps & Pick<LinesProps, 'scaled'>) {
  const lines = useQuery({
    ...linesQuery({ comparison_id: comparisonId, view_id: viewId }, name),
    select: (rows) => rows.map((row) => shownOf(row, scaled)).sort((a, b) => a.line - b.line),
  });
  if (lines.error) {
    return (
      <ErrorState
        error={lines.error}
        action={<Button onClick={() => void lines.refetch()}>Try again</Button>}
      />
    );
  }
  if (!lines.data) return <SkeletonRows rows={8} height={26} />;
  const rows = lines.data;
  if (rows.length === 0) return <EmptyState>No line information for this function.</EmptyState>;
  const hasAttributed = rows.some(
    (row) => row.baseAttributed !== 0 || row.candidateAttributed !== 0,
  );
  const largest = Math.max(...rows.map((row) => Math.max(row.base, row.candidate)));
  const unit = unitOf(scaled.unit);
  const scale = columnScale(largest, unit);
  const value = (shown: number) =>
    shown === 0 ? <span className="muted">–</span> : scale.format(shown);
  const difference = (change: number) => (
    <span className={change > 0 ? 'more' : change < 0 ? 'less' : 'muted'}>
      {scale.delta(change)}
    </span>
  );
  const number = (
    id: string,
    head: Column<Shown>['head'],
    cell: Column<Shown>['cell'],
    width = 92,
  ): Column<Shown> => ({ id, head, align: 'right', width, cell });
  const columns: Column<Shown>[] = [
    {
      id: 'line',
      head: 'Line',
      width: 56,
      mono: true,
      cell: (row) => (row.line > 0 ? row.line : '?'),
    },
    {
      id: 'bars',
      head: '',
      label: 'base and candidate as bars',
      cell: (row) => <Bars row={row} largest={largest} />,
    },
    number('base-self', 'Self base', (row) => value(row.baseSelf)),
    number('candidate-self', 'Self candidate', (row) => value(row.candidateSelf)),
    ...(hasAttributed
      ? [
          number('base-attributed', 'Attributed base', (row) => value(row.baseAttributed), 120),
          number(
            'candidate-attributed',
            'Attributed candidate',
            (row) => value(row.candidateAttributed),
            144,
          ),
          number(
            'attributed-change',
            'Attributed change',
            (row) => difference(row.candidateAttributed - row.baseAttributed),
            132,
          ),
        ]
      : []),
    number('base', 'Total base', (row) => value(row.base)),
    number('candidate', 'Total candidate', (row) => value(row.candidate)),
    number('change', 'Change', (row) => difference(row.candidate - row.base)),
  ];
  return (
    <div className={classes.lines}>
      <p className="muted">
        {countOf(rows.length, 'line')} with samples,{' '}
        {`${scale.name || 'values'} ${normalizationPhrase(unit)}`.trim()}. Single lines have too few
        samples for an interval.
      </p>
      <DataTable
        label={`Lines of ${name}`}
        columns={columns}
        rowCount={rows.length}
        rowAt={(index) => rows[index]!}
        rowKey={(row) => row.line}
        rowHeight={26}
        minWidth={hasAttributed ? 1020 : 560}
      />
    </div>
  );
}

function shownOf(row: Line, scaled: { base: number; candidate: number }): Shown {
  return {
    line: row.line,
    baseSelf: row.base_self * scaled.base,
    candidateSelf: row.candidate_self * scaled.candidate,
    baseAttributed: (row.base_attributed ?? 0) * scaled.base,
    candidateAttributed: (row.candidate_attributed ?? 0) * scaled.candidate,
    base: row.base_total * scaled.base,
    candidate: row.candidate_total * scaled.candidate,
  };
}

/**
 * Two bars, base above candidate. Hidden from screen readers, because the numbers are beside them.
 */
function Bars({ row, largest }: { row: Shown; largest: number }) {
  const width = (value: number) => (value > 0 ? Math.max(1, (value / largest) * 100) : 0);
  const changed = row.candidate > row.base ? 'var(--more)' : 'var(--less)';
  const tone = row.candidate === row.base ? 'var(--noise-line)' : changed;
  return (
    <svg
      width="100%"
      height="14"
      aria-hidden
      className={classes.bars}
      preserveAspectRatio="none"
      viewBox="0 0 100 14"
    >
      <rect x="0" y="2" width={width(row.base)} height="4" fill="var(--noise-line)" />
      <rect x="0" y="8" width={width(row.candidate)} height="4" fill={tone} />
    </svg>
  );
}
