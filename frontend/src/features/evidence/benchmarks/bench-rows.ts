/** Benchmarks as rows: units apart, how each changed, and in which order. Pure. */
import type { Change } from '../../../engine/format/change-class';
import { formatValue, unitOf } from '../../../engine/format/format';
import type { Sort } from '../../../ui';
import type { BenchmarkRow, BenchmarkSummary } from './benchmark-types';

/** benchfmt tidies units to base ones ("sec/op"); they are formatted for people. */
const UNITS: Record<string, string> = {
  'sec/op': 's/op',
  'B/op': 'bytes/op',
  'B/s': 'bytes/s',
  'allocs/op': 'allocs/op',
};
export const unitText = (unit: string): string => UNITS[unit] ?? unit;

/** A row has both sides: a benchmark that only one side has is among the unpaired ones of the document. */
export function changeOfRow({
  ratio,
  significant,
  state,
}: BenchmarkRow): Extract<Change, 'noise' | 'more' | 'less'> {
  if (!significant || ratio === null || state === 'noise' || ratio === 1) return 'noise';
  return ratio > 1 ? 'more' : 'less';
}

/** Words of a change: time takes, memory allocates; a rate that is larger is simply more. */
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

/** Whether a change is for the worse: more of what should be less, or less of what should be more; null: not known. */
export function isWorse(row: BenchmarkRow): boolean | null {
  const change = changeOfRow(row);
  if (change === 'noise' || row.better === null) return null;
  return (change === 'more') === (row.better === 'less');
}

export const centerText = ({ center }: BenchmarkSummary, unit: string): string =>
  formatValue(center, unitText(unit));

/** Half the interval as part of the center, as benchstat prints it: "± 2%"; ∞ where there are too few values. */
export function spreadText(side: BenchmarkSummary): string {
  if (side.low === null || side.high === null) return '± ∞';
  if (side.center === 0) return '';
  const spread = Math.max(side.high - side.center, side.center - side.low) / Math.abs(side.center);
  return `± ${Math.round(spread * 100)}%`;
}

/** Units in the order of the data; each has a separate table. */
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
