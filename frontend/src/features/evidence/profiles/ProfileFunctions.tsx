/** The functions of a profile: own cost first, and the runtime category attributed to them. */
import { Checkbox } from '@mantine/core';
import { useMemo, type ReactNode } from 'react';
import { visibleName } from '../../../engine/flame/frame-label';
import type { FunctionTable } from '../../../engine/flame/function-table';
import { compilePattern, isQuick } from '../../../engine/flame/name-pattern';
import type { NamePattern } from '../../../engine/flame/flame-view';
import { normalizationPhrase } from '../../../engine/format/change-wording';
import { columnScale, formatShare, unitOf, type ColumnScale } from '../../../engine/format/format';
import { foldersOf, shortName } from '../../../engine/format/short-function-name';
import { DataTable, countText, type Column } from '../../../ui';
import { CopyMenu } from '../../../ui/CopyMenu';
import { copyFunctions } from './copied-functions';
import { isApplication, rowAt, scaleOf, sortedRows, type FunctionRow } from './function-rows';
import type { ProfilePageView } from './profile-url';
import classes from './profiles.module.css';

const BAR_PX = 138;
/** The height of the header and 16 rows: a longer table scrolls, as on comparisons. */
const TABLE_HEIGHT_PX = 26 + 16 * 26;

const NOUNS = { package: 'Package', function: 'Function', line: 'Line' } as const;

type FunctionsProps = {
  table: FunctionTable;
  view: ProfilePageView;
  change: (changed: Partial<ProfilePageView>) => void;
  selected: string;
  /** The function under the pointer in the graph. */
  marked: string | null;
  onHover: (name: string | null) => void;
};

export function ProfileFunctions({
  table,
  view,
  change,
  selected,
  marked,
  onHover,
}: FunctionsProps) {
  const { sort, withRuntime, flame } = view;
  const scaled = useMemo(() => scaleOf(table, flame.basis), [table, flame.basis]);
  const sorted = useMemo(() => sortedRows(table, sort), [table, sort]);
  const matching = useMemo(() => matcherOf(flame.search), [flame.search]);
  const rows = useMemo(
    () =>
      sorted.filter((index) =>
        matching
          ? matching.test(table.names.text(table.name[index]!))
          : withRuntime || isApplication(table, index),
      ),
    [sorted, matching, table, withRuntime],
  );
  const columns = useMemo(() => {
    const all = Array.from(rows, (index) => rowAt(table, scaled, index));
    const most = (value: (row: FunctionRow) => number) =>
      all.reduce((largest, row) => Math.max(largest, value(row)), 0);
    const scale = columnScale(
      most(({ own, total }) => Math.max(own, total)),
      unitOf(scaled.unit),
    );
    const per = normalizationPhrase(unitOf(scaled.unit));
    const noun = NOUNS[view.flame.granularity];
    const words = `· ${countText(rows.length)}, ${scale.name} ${per}`.trim();
    return columnsOf(
      scale,
      <>
        {noun} <span className="muted">{words}</span>
      </>,
      most(({ own }) => own),
    );
  }, [rows, table, scaled, view.flame.granularity]);
  const indexOf = (name: string | null): number | null =>
    rows.find((index) => name !== null && table.names.text(table.name[index]!) === name) ?? null;
  return (
    <>
      <div className={classes.note}>
        <Unattributed table={table} />
        <span className="grow" />
        <CopyMenu text={() => copyFunctions(rows, table, scaled)} />
        <Checkbox
          size="xs"
          label="Runtime functions"
          checked={withRuntime}
          onChange={(event) => change({ withRuntime: event.currentTarget.checked })}
        />
      </div>
      {rows.length === 0 ? (
        <p className="muted">
          {matching ? 'No function matches the search.' : 'No functions outside of the runtime.'}
        </p>
      ) : (
        <DataTable
          label="Functions"
          columns={columns}
          rowCount={rows.length}
          rowAt={(at) => rowAt(table, scaled, rows[at] ?? 0)}
          rowKey={(row) => row.index}
          rowHeight={26}
          sort={sort}
          onSort={(next) => change({ sort: next })}
          onRowClick={({ name }) => change({ selected: name })}
          onRowHover={(row) => onHover(row?.name ?? null)}
          selectedKey={indexOf(selected)}
          markedKey={indexOf(marked)}
          minWidth={940}
          maxHeight={TABLE_HEIGHT_PX}
        />
      )}
    </>
  );
}

/** The share without an attributed caller; the functions' costs and it add up to the total. */
function Unattributed({ table }: { table: FunctionTable }) {
  const whole = table.header.candidate.total_raw;
  let own = 0;
  for (let index = 0; index < table.count; index++)
    if (isApplication(table, index))
      own += table.candidateSelf[index]! + table.candidateAttributed[index]!;
  const share = whole > 0 ? (whole - own) / whole : 0;
  if (share < 0.0005) return null;
  return <span className="muted">{formatShare(share)} has no attributed caller, such as GC</span>;
}

/**
 * Returns null for patterns that could block the page: the table is then not filtered, and only the
 * graph's worker searches for them.
 */
function matcherOf(search: NamePattern): RegExp | null {
  if (!isQuick(search)) return null;
  try {
    return compilePattern(search);
  } catch {
    return null;
  }
}

function columnsOf(scale: ColumnScale, head: ReactNode, largest: number): Column<FunctionRow>[] {
  const value = (shown: number) =>
    shown === 0 ? <span className="muted">–</span> : scale.format(shown);
  const number = (
    id: string,
    heading: string,
    cell: Column<FunctionRow>['cell'],
    width = 92,
  ): Column<FunctionRow> => ({ id, head: heading, width, align: 'right', sortable: true, cell });
  return [
    {
      id: 'name',
      head,
      mono: true,
      sortable: true,
      cell: ({ name }) => (
        <span title={visibleName(name)}>
          {visibleName(shortName(name))} <span className={classes.folders}>{foldersOf(name)}</span>
        </span>
      ),
    },
    number('self', 'Self', (row) => value(row.self), 80),
    number('attributed', 'Attributed', (row) => value(row.attributed)),
    number('own', 'Self + attributed', (row) => <b>{value(row.own)}</b>, 126),
    {
      ...number('share', 'Share', (row) => (row.own === 0 ? value(0) : formatShare(row.share)), 72),
      sortable: false,
    },
    {
      id: 'bar',
      head: (
        <>
          self <i className={classes.selfKey} /> attributed <i className={classes.attributedKey} />
        </>
      ),
      width: BAR_PX + 12,
      cell: (row) => <OwnBar row={row} largest={largest} />,
    },
    {
      id: 'mostly',
      head: 'Mostly',
      width: 124,
      sortable: true,
      cell: (row) => <span className="t2">{row.mostly}</span>,
    },
    number('total', 'Total', (row) => value(row.total), 80),
  ];
}

/** A bar of the own cost; hidden from screen readers, because the numbers are beside it. */
function OwnBar({ row, largest }: { row: FunctionRow; largest: number }) {
  const px = (value: number) => (largest > 0 ? (BAR_PX * Math.max(0, value)) / largest : 0);
  return (
    <svg width={BAR_PX} height="9" aria-hidden="true">
      <rect width={px(row.self)} height="9" fill="var(--control)" />
      <rect x={px(row.self)} width={px(row.attributed)} height="9" fill="var(--border-strong)" />
    </svg>
  );
}
