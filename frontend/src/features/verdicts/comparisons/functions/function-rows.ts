/**
 * Rows of the function table: indices into the columns, filtered and sorted. No side effects;
 * 100,000 functions take some tens of ms.
 */
import { changeOf, type Change } from '../../../../engine/format/change-class';
import { normalizationIndex } from '../../../../engine/flame/diff-tree';
import {
  OWN_CODE,
  functionIndices,
  type FunctionTable,
} from '../../../../engine/flame/function-table';
import type { Sort } from '../../../../ui';
import { categoryLabel } from '../shared/comparison-wording';

type Scaled = { basis: number; unit: string; base: number; candidate: number };

/** Returns the unit and factors of a basis, or of the default one of the data. */
export function scaleOf({ header }: FunctionTable, basisId: string): Scaled {
  const basis = normalizationIndex(header, basisId);
  const found = header.normalizations[basis];
  return {
    basis,
    unit: found?.unit ?? 'count',
    base: found?.base_scale ?? 1,
    candidate: found?.candidate_scale ?? 1,
  };
}

export type FunctionRow = {
  index: number;
  name: string;
  category: string;
  baseSelf: number;
  candidateSelf: number;
  baseTotal: number;
  candidateTotal: number;
  baseAttributed: number;
  candidateAttributed: number;
  /** Self plus attributed cost, with their interval and change. */
  baseOwn: number;
  candidateOwn: number;
  /**
   * The category with the largest attributed cost; '' if the function itself has the largest cost.
   */
  mostly: string;
  low: number;
  high: number;
  /** The q-value of the change of the total; NaN if it was not tested. */
  q: number;
  totalChange: Change;
  change: Change;
};

export function rowAt(table: FunctionTable, scaled: Scaled, index: number): FunctionRow {
  const judged = table.judgements[scaled.basis];
  const own = ownOf(table, scaled, index);
  return {
    index,
    name: table.names.text(table.name[index] ?? 0),
    category: table.header.categories[table.category[index] ?? 0] ?? '',
    baseSelf: (table.baseSelf[index] ?? 0) * scaled.base,
    candidateSelf: (table.candidateSelf[index] ?? 0) * scaled.candidate,
    baseTotal: (table.baseTotal[index] ?? 0) * scaled.base,
    candidateTotal: (table.candidateTotal[index] ?? 0) * scaled.candidate,
    ...own,
    mostly: table.header.categories[table.mostly[index] ?? OWN_CODE] ?? '',
    low: judged?.ownLow[index] ?? NaN,
    high: judged?.ownHigh[index] ?? NaN,
    q: judged?.q[index] ?? NaN,
    totalChange: changeOf(judged?.state[index] ?? 0),
    change: changeOf(judged?.ownState[index] ?? 0),
  };
}

type OwnValues = Pick<
  FunctionRow,
  'baseAttributed' | 'candidateAttributed' | 'baseOwn' | 'candidateOwn'
>;

function ownOf(table: FunctionTable, scaled: Scaled, index: number): OwnValues {
  const baseAttributed = table.baseAttributed[index]! * scaled.base;
  const candidateAttributed = table.candidateAttributed[index]! * scaled.candidate;
  return {
    baseAttributed,
    candidateAttributed,
    baseOwn: table.baseSelf[index]! * scaled.base + baseAttributed,
    candidateOwn: table.candidateSelf[index]! * scaled.candidate + candidateAttributed,
  };
}

/**
 * Returns the ratio to sort by: the largest if the base is zero, the smallest if the candidate is
 * zero.
 */
function ratioOf(base: number, candidate: number): number {
  if (base > 0 && candidate > 0) return candidate / base;
  return candidate > 0 ? Infinity : 0;
}

/** Returns the rank of each category in the order of the labels. */
function labelRanks(categories: readonly string[]): number[] {
  const labels = categories.map(categoryLabel);
  const ordered = [...labels].sort((a, b) => a.localeCompare(b, 'en'));
  return labels.map((label) => ordered.indexOf(label));
}

function valuesFor(table: FunctionTable, scaled: Scaled, column: string): Float64Array {
  const { base, candidate } = scaled;
  const ranks = column === 'category' ? labelRanks(table.header.categories) : [];
  const mostly = column === 'mostly' ? labelRanks(table.header.categories) : [];
  const value = (index: number): number => {
    const own = ownOf(table, scaled, index);
    const [baseSelf, candidateSelf] = [
      table.baseSelf[index]! * base,
      table.candidateSelf[index]! * candidate,
    ];
    const [baseTotal, candidateTotal] = [
      table.baseTotal[index]! * base,
      table.candidateTotal[index]! * candidate,
    ];
    switch (column) {
      case 'base-self':
        return baseSelf;
      case 'candidate-self':
        return candidateSelf;
      case 'base-total':
        return baseTotal;
      case 'candidate-total':
        return candidateTotal;
      case 'self-change':
        return Math.abs(candidateSelf - baseSelf);
      case 'ratio':
        return ratioOf(baseTotal, candidateTotal);
      case 'attributed':
        return own.candidateAttributed;
      case 'own':
        return own.candidateOwn;
      case 'own-change':
        return Math.abs(own.candidateOwn - own.baseOwn);
      case 'own-ratio':
        return ratioOf(own.baseOwn, own.candidateOwn);
      case 'mostly':
        return mostly[table.mostly[index]!] ?? -1;
      case 'q':
        return table.judgements[scaled.basis]?.q[index] ?? NaN;
      case 'category':
        return ranks[table.category[index]!] ?? 0;
      default:
        return Math.abs(candidateTotal - baseTotal);
    }
  };
  return Float64Array.from({ length: table.count }, (_, index) => value(index));
}

/** Returns the indices in the order of `sort`; equal rows stay in the order of the data. */
export function sortedRows(table: FunctionTable, scaled: Scaled, sort: Sort): Uint32Array {
  const rows = functionIndices(table);
  const sign = sort.descending ? -1 : 1;
  if (sort.column === 'name') {
    const names = Array.from({ length: table.count }, (_, index) =>
      table.names.text(table.name[index] ?? 0),
    );
    return rows.sort(
      (a, b) => sign * (names[a]! < names[b]! ? -1 : names[a]! > names[b]! ? 1 : 0) || a - b,
    );
  }
  const values = valuesFor(table, scaled, sort.column);
  return rows.sort((a, b) => {
    const [one, other] = [values[a]!, values[b]!];
    // Untested rows are after all tested ones in both directions.
    if (Number.isNaN(one) !== Number.isNaN(other)) return Number.isNaN(one) ? 1 : -1;
    return sign * (one - other) || a - b;
  });
}

/** Returns the largest absolute value shown, for the shared scale of all columns. */
export function largestShown(table: FunctionTable, scaled: Scaled): number {
  let largest = 0;
  for (let index = 0; index < table.count; index++) {
    largest = Math.max(
      largest,
      table.baseTotal[index]! * scaled.base,
      table.candidateTotal[index]! * scaled.candidate,
    );
  }
  return largest;
}
