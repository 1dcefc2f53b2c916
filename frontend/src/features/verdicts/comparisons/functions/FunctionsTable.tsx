/**
 * The table of all functions: both sides, change and interval. The accessible equivalent of the
 * graph; a selection in one is shown in the other.
 */
import { useMemo, type ReactNode } from 'react';
import { EffectAxis, EffectInterval } from '../../../../charts';
import { changeLabel, normalizationPhrase } from '../../../../engine/format/change-wording';
import {
  columnScale,
  formatProbability,
  unitOf,
  type ColumnScale,
  type UnitOf,
} from '../../../../engine/format/format';
import { ratioAxis, type RatioAxis } from '../../../../engine/format/ratio-axis';
import { readFunctions } from '../../../../engine/flame/function-table';
import { DataTable, type Column, type Sort } from '../../../../ui';
import { Term } from '../../../../ui/Terms';
import { largestShown, rowAt, scaleOf, sortedRows, type FunctionRow } from './function-rows';
import classes from '../shared/Page.module.css';
import { categoryLabel, foldersOf, shortName } from '../shared/comparison-wording';

const INTERVAL_WIDTH = 200;
/** Header and 16 rows. */
const TABLE_HEIGHT_PX = 26 + 16 * 26;
/**
 * The axis is scaled for the first rows; intervals of rows further down are clamped to its ends.
 */
const AXIS_ROWS = 60;
const AXIS_LOW = 1 / 8;
const AXIS_HIGH = 32;
const NO_RANGE = { ratio: null, low: null, high: null };

type TableProps = {
  buffer: ArrayBuffer;
  basisId: string;
  sort: Sort;
  /** Only functions whose name matches; all if null. */
  matching: RegExp | null;
  selected: string;
  marked: string | null;
  onSort: (sort: Sort) => void;
  onSelect: (name: string) => void;
  onZoom: (name: string) => void;
  onAround: (name: string) => void;
  onLines: (name: string) => void;
  onHover: (name: string | null) => void;
};

type RowActs = Pick<TableProps, 'onZoom' | 'onAround' | 'onLines'>;

type ColumnInputs = {
  axis: RatioAxis;
  scale: ColumnScale;
  unit: UnitOf;
  rowCount: number;
  sampleType: string;
  acts: RowActs;
};

const number = (
  id: string,
  head: ReactNode,
  cell: Column<FunctionRow>['cell'],
  width = 108,
): Column<FunctionRow> => ({
  id,
  head,
  width,
  align: 'right',
  sortable: true,
  cell,
});

/** A column header for a pair of values: `name` for the candidate, "base" for the base. */
const pairHead = (name: string): ReactNode => (
  <span title={`${name}: of the candidate, then of the base`}>
    {name} <span className={`muted ${classes.was}`}>base</span>
  </span>
);

/** The ratio of self and attributed cost with its interval. */
function ratioColumn(axis: RatioAxis): Column<FunctionRow> {
  return {
    id: 'own-ratio',
    head: <EffectAxis axis={axis} width={INTERVAL_WIDTH} />,
    label: 'ratio with its interval',
    width: INTERVAL_WIDTH + 20,
    sortable: true,
    cell: (row) => (
      <EffectInterval
        axis={axis}
        ratio={row.baseOwn > 0 && row.candidateOwn > 0 ? row.candidateOwn / row.baseOwn : null}
        low={row.low}
        high={row.high}
        change={row.change}
        width={INTERVAL_WIDTH}
        height={26}
      />
    ),
  };
}

function columnsOf(inputs: ColumnInputs): Column<FunctionRow>[] {
  const { axis, scale, unit, rowCount, sampleType, acts } = inputs;
  const shown = (value: number) => (value === 0 ? '–' : scale.format(value));
  const values = (base: number, candidate: number) => (
    <>
      {shown(candidate)} <span className={`muted ${classes.was}`}>{shown(base)}</span>
    </>
  );
  const delta = (row: FunctionRow) => {
    const difference = row.candidateOwn - row.baseOwn;
    if (difference === 0) return <span className="muted">0</span>;
    const tone = row.change === 'noise' ? 'muted' : difference > 0 ? 'more' : 'less';
    return <span className={`${classes.strong} ${tone}`}>{scale.delta(difference)}</span>;
  };
  const per = normalizationPhrase(unit);
  const count = rowCount.toLocaleString('en');
  return [
    {
      id: 'name',
      head: (
        <>
          Function{' '}
          <span className="muted">
            · {count}, {scale.name || 'values'} {per}
          </span>
        </>
      ),
      mono: true,
      sortable: true,
      cell: (row) => (
        <span className={classes.nameCell}>
          <span title={row.name}>
            {shortName(row.name)} <span className={classes.folders}>{foldersOf(row.name)}</span>
          </span>
          <span className={classes.rowActions}>
            <RowAction word="zoom" name={row.name} act={acts.onZoom} />
            <RowAction word="callers" name={row.name} act={acts.onAround} />
            <RowAction word="lines" name={row.name} act={acts.onLines} />
          </span>
        </span>
      ),
    },
    number('candidate-self', pairHead('Self'), (row) => values(row.baseSelf, row.candidateSelf)),
    number(
      'attributed',
      pairHead('Attributed'),
      (row) => values(row.baseAttributed, row.candidateAttributed),
      118,
    ),
    number(
      'own',
      pairHead('Self + attributed'),
      (row) => values(row.baseOwn, row.candidateOwn),
      150,
    ),
    number('own-change', 'Change', delta, 84),
    ratioColumn(axis),
    {
      id: 'mostly',
      head: 'Mostly',
      width: 124,
      sortable: true,
      cell: (row) => (
        <span className="t2">{row.mostly === '' ? 'own code' : categoryLabel(row.mostly)}</span>
      ),
    },
    number('candidate-total', pairHead('Total'), (row) =>
      values(row.baseTotal, row.candidateTotal),
    ),
    {
      ...number(
        'q',
        'Change of total',
        (row) =>
          Number.isFinite(row.q) ? (
            <Term name="q-value" detail={`q ${formatProbability(row.q)}`}>
              {row.totalChange === 'noise' ? 'not significant' : 'significant'}
            </Term>
          ) : (
            <span className="muted" title="too few samples for a test">
              –
            </span>
          ),
        116,
      ),
      label: 'by its q-value (false discovery rate)',
    },
    {
      id: 'reads',
      head: 'Verdict',
      width: 132,
      cell: (row) => <span className="t2">{changeLabel(row.change, sampleType)}</span>,
    },
  ];
}

export function FunctionsTable(props: TableProps) {
  const { buffer, basisId, sort, matching, onSelect, onZoom, onAround, onLines, onHover } = props;
  const table = useMemo(() => readFunctions(buffer), [buffer]);
  const scaled = useMemo(() => scaleOf(table, basisId), [table, basisId]);
  const sorted = useMemo(() => sortedRows(table, scaled, sort), [table, scaled, sort]);
  const rows = useMemo(
    () =>
      matching
        ? sorted.filter((index) => matching.test(table.names.text(table.name[index] ?? 0)))
        : sorted,
    [sorted, matching, table],
  );
  const unit = useMemo(() => unitOf(scaled.unit), [scaled]);
  const scale = useMemo(
    () => columnScale(largestShown(table, scaled), unit),
    [table, scaled, unit],
  );
  const axis = useMemo(
    () =>
      ratioAxis(
        Array.from(rows.slice(0, AXIS_ROWS), (index) => {
          const { low, high, change } = rowAt(table, scaled, index);
          // Wide intervals of small functions must not stretch the shared axis, so they are
          // clamped.
          const held = (bound: number) => Math.min(AXIS_HIGH, Math.max(AXIS_LOW, bound));
          return change === 'noise' ? NO_RANGE : { ratio: null, low: held(low), high: held(high) };
        }),
      ),
    [rows, table, scaled],
  );

  const sampleType = table.header.sample_type.type;
  const columns = useMemo(
    () =>
      columnsOf({
        axis,
        scale,
        unit,
        rowCount: rows.length,
        sampleType,
        acts: { onZoom, onAround, onLines },
      }),
    [axis, scale, unit, rows.length, sampleType, onZoom, onAround, onLines],
  );

  const indexOf = (name: string | null): number | null => {
    if (name === null || name === '') return null;
    for (const index of rows) if (table.names.text(table.name[index] ?? 0) === name) return index;
    return null;
  };

  const hover = useMemo(
    () => (row: FunctionRow | null) => onHover(row ? row.name : null),
    [onHover],
  );
  const select = useMemo(() => (row: FunctionRow) => onSelect(row.name), [onSelect]);
  if (rows.length === 0) {
    const why =
      table.count === 0 ? 'No functions in this view.' : 'No function matches the search.';
    return <p className="muted">{why}</p>;
  }
  return (
    <DataTable
      label="Functions"
      columns={columns}
      rowCount={rows.length}
      rowAt={(at) => rowAt(table, scaled, rows[at] ?? 0)}
      rowKey={(row) => row.index}
      rowHeight={26}
      sort={sort}
      onSort={props.onSort}
      onRowClick={select}
      onRowHover={hover}
      selectedKey={indexOf(props.selected)}
      markedKey={indexOf(props.marked)}
      minWidth={1294}
      maxHeight={TABLE_HEIGHT_PX}
    />
  );
}

function RowAction({
  word,
  name,
  act,
}: {
  word: string;
  name: string;
  act: (name: string) => void;
}) {
  return (
    <button
      type="button"
      className="link"
      aria-label={`${word} of ${name}`}
      onClick={(event) => {
        event.stopPropagation();
        act(name);
      }}
    >
      {word}
    </button>
  );
}
