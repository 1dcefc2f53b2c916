/** Rows of the paths that grow stacks: their order, measure and texts. */
import { formatCount, formatValue } from '../../../engine/format/format';
import type { Sort } from '../../../ui';
import type { GrowthRow, GrowthSet } from './growth-types';

type Counts = GrowthRow['base'];
/** The compared value: per request or per second if both sides have it, else a number of events. */
export type Measure = 'per_request' | 'per_second' | 'estimated_growths' | 'sampled';

export function measureOf(rows: readonly GrowthRow[]): Measure {
  const known = (name: Measure) =>
    rows.length > 0 &&
    rows.every(({ base, candidate }) => [base, candidate].every((side) => side[name] !== null));
  if (known('per_request')) return 'per_request';
  if (known('per_second')) return 'per_second';
  return known('estimated_growths') ? 'estimated_growths' : 'sampled';
}

export const MEASURES: Record<Measure, string> = {
  per_request: 'growth events per request',
  per_second: 'growth events per second',
  estimated_growths: 'growth events, estimated',
  sampled: 'sampled growth events',
};

export const amountOf = (counts: Counts, measure: Measure): number => counts[measure] ?? 0;

function valueFor(row: GrowthRow, column: string, measure: Measure): number {
  const [base, candidate] = [amountOf(row.base, measure), amountOf(row.candidate, measure)];
  switch (column) {
    case 'size':
      return row.new_bytes ?? 0;
    case 'base':
      return base;
    case 'candidate':
      return candidate;
    default:
      return Math.abs(candidate - base);
  }
}

export function sortedGrowth(
  rows: readonly GrowthRow[],
  sort: Sort,
  measure: Measure,
): GrowthRow[] {
  const sign = sort.descending ? -1 : 1;
  if (sort.column === 'caller')
    return rows.toSorted(
      (a, b) =>
        sign *
        (a.attributed_caller < b.attributed_caller
          ? -1
          : a.attributed_caller > b.attributed_caller
            ? 1
            : 0),
    );
  return rows.toSorted(
    (a, b) => sign * (valueFor(a, sort.column, measure) - valueFor(b, sort.column, measure)),
  );
}

/** Formats the old and new stack size, such as "2 KiB to 4 KiB". */
export function sizesText({ old_bytes, new_bytes }: GrowthRow): string {
  if (old_bytes === null && new_bytes === null) return '–';
  const size = (bytes: number | null) => (bytes === null ? '?' : formatValue(bytes, 'bytes'));
  return `${size(old_bytes)} to ${size(new_bytes)}`;
}

/** Returns how many growth events a printed one represents: the factor of the estimate. */
export function rateOf({ sampled, estimated_growths, rates }: GrowthSet): number | null {
  if (rates.length > 0) return rates.length === 1 ? rates[0]! : null;
  if (sampled <= 0) return null;
  const rate = estimated_growths / sampled;
  return rate > 1.5 ? Math.round(rate) : null;
}

const ENDINGS: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' };
const ORDINAL = new Intl.PluralRules('en', { type: 'ordinal' });

/** Describes the sampling: "every 1,000th growth event was printed"; with a rate of 1, all. */
export function rateText(rate: number): string {
  if (rate === 1) return 'every growth event was printed';
  const nth = `${formatCount(rate)}${ENDINGS[ORDINAL.select(rate)] ?? 'th'}`;
  return `every ${nth} growth event was printed; estimates are multiplied by that`;
}
