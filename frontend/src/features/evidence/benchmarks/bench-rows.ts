/** Rows of benchmarks: their units, changes and order. */
import type { Change } from '../../../engine/format/change-class';
import { formatValue, unitOf } from '../../../engine/format/format';
import type { Sort } from '../../../ui';
import type { BenchmarkRow, BenchmarkSummary } from './benchmark-types';

/** The names that the page shows for the base units of benchfmt. */
const UNITS: Record<string, string> = {
  'sec/op': 's/op',
  'B/op': 'bytes/op',
  'B/s': 'bytes/s',
  'allocs/op': 'allocs/op',
};
export const unitText = (unit: string): string => UNITS[unit] ?? unit;

/** Returns the change of a row with both sides; unpaired benchmarks are not rows. */
export function changeOfRow({
  ratio,
  significant,
  state,
}: BenchmarkRow): Extract<Change, 'noise' | 'more' | 'less'> {
  if (!significant || ratio === null || state === 'noise' || ratio === 1) return 'noise';
  return ratio > 1 ? 'more' : 'less';
}

/** Describes a change by its unit: time takes more, memory allocates more; a rate does more. */
export function changeLabelOf(row: BenchmarkRow): string {
  const change = changeOfRow(row);
  if (change === 'noise') return 'not significant';
  const more = change === 'more';
  if (row.better === 'more') return more ? 'does more' : 'does less';
  switch (unitOf(unitText(row.unit)).quantity) {
    case 'time':
      return more ? 'takes more time' : 'takes less time';
    case 'bytes':
      return more ? 'allocates more' : 'allocates less';
    default:
      return row.unit.startsWith('alloc')
        ? more
          ? 'allocates more often'
          : 'allocates less often'
        : more
          ? 'more'
          : 'less';
  }
}

/** Returns whether a change is for the worse; null without a change or a known direction. */
export function isWorse(row: BenchmarkRow): boolean | null {
  const change = changeOfRow(row);
  if (change === 'noise' || row.better === null) return null;
  return (change === 'more') === (row.better === 'less');
}

export const centerText = ({ center }: BenchmarkSummary, unit: string): string =>
  formatValue(center, unitText(unit));

/**
 * Formats the larger half of the interval relative to the center, as benchstat does: "± 2%"; "± ∞"
 * with too few values.
 */
export function spreadText(side: BenchmarkSummary): string {
  if (side.low === null || side.high === null) return '± ∞';
  if (side.center === 0) return '';
  const spread = Math.max(side.high - side.center, side.center - side.low) / Math.abs(side.center);
  return `± ${Math.round(spread * 100)}%`;
}

/** Groups rows by unit, in the order of the data; each unit has a separate table. */
export function byUnit(rows: readonly BenchmarkRow[]): [unit: string, rows: BenchmarkRow[]][] {
  const units = new Map<string, BenchmarkRow[]>();
  for (const row of rows) units.set(row.unit, [...(units.get(row.unit) ?? []), row]);
  return [...units];
}

function valueFor(row: BenchmarkRow, column: string): number {
  if (column === 'p') return row.p ?? 2;
  if (changeOfRow(row) === 'noise') return 0;
  return row.ratio === null || row.ratio <= 0 ? 1e6 : Math.abs(Math.log(row.ratio));
}

export function sortedBenchmarks(rows: readonly BenchmarkRow[], sort: Sort): BenchmarkRow[] {
  const sign = sort.descending ? -1 : 1;
  if (sort.column === 'name')
    return rows.toSorted((a, b) => sign * (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return rows.toSorted((a, b) => sign * (valueFor(a, sort.column) - valueFor(b, sort.column)));
}
