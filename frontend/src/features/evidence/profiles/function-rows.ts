/** Rows of the table of functions of one profile: sorted indexes into the columns. */
import { normalizationIndex } from '../../../engine/flame/diff-tree';
import {
  OWN_CODE,
  functionIndices,
  type FunctionTable,
} from '../../../engine/flame/function-table';
import type { Sort } from '../../../ui';
import { shortCategory } from './profile-wording';

/** The selected normalization: its unit, the factor of raw values, and the scaled total. */
export type Scaled = { unit: string; scale: number; total: number };

export function scaleOf({ header }: Pick<FunctionTable, 'header'>, basisId: string): Scaled {
  const found = header.normalizations[normalizationIndex(header, basisId)];
  const scale = found?.candidate_scale ?? 1;
  return { unit: found?.unit ?? 'count', scale, total: header.candidate.total_raw * scale };
}

/** Values in the unit shown. `own` is self plus attributed; `share` is its share of the total. */
export type FunctionRow = {
  index: number;
  name: string;
  category: string;
  /** The category with most of its cost; "own code" for its own code. */
  mostly: string;
  self: number;
  attributed: number;
  own: number;
  total: number;
  share: number;
};

const mostlyText = (table: FunctionTable, index: number): string => {
  const id = table.mostly[index] ?? OWN_CODE;
  return id === OWN_CODE ? 'own code' : shortCategory(table.header.categories[id] ?? '');
};

export function rowAt(table: FunctionTable, { scale, total }: Scaled, index: number): FunctionRow {
  const self = table.candidateSelf[index]! * scale;
  const attributed = table.candidateAttributed[index]! * scale;
  const own = self + attributed;
  return {
    index,
    name: table.names.text(table.name[index]!),
    category: table.header.categories[table.category[index]!] ?? '',
    mostly: mostlyText(table, index),
    self,
    attributed,
    own,
    total: table.candidateTotal[index]! * scale,
    share: total > 0 ? own / total : 0,
  };
}

function valueFor(table: FunctionTable, column: string): (index: number) => number {
  switch (column) {
    case 'self':
      return (index) => table.candidateSelf[index]!;
    case 'attributed':
      return (index) => table.candidateAttributed[index]!;
    case 'total':
      return (index) => table.candidateTotal[index]!;
    default:
      return (index) => table.candidateSelf[index]! + table.candidateAttributed[index]!;
  }
}

/** Returns indexes in the requested order; equal rows stay in the order of the data. */
export function sortedRows(table: FunctionTable, { column, descending }: Sort): Uint32Array {
  const rows = functionIndices(table);
  const sign = descending ? -1 : 1;
  if (column === 'name' || column === 'mostly') {
    const text = (index: number): string =>
      column === 'name' ? table.names.text(table.name[index]!) : mostlyText(table, index);
    const texts = Array.from({ length: table.count }, (_, index) => text(index));
    return rows.sort(
      (a, b) => sign * (texts[a]! < texts[b]! ? -1 : texts[a]! > texts[b]! ? 1 : 0) || a - b,
    );
  }
  const value = valueFor(table, column);
  return rows.sort((a, b) => sign * (value(a) - value(b)) || a - b);
}

/** Returns whether a function is outside the runtime: category 0 is the application. */
export const isApplication = ({ category }: FunctionTable, index: number): boolean =>
  category[index] === 0;

/** Returns the function with the largest own cost, preferably not of the runtime; '' if none. */
export function largestFunction(table: FunctionTable): string {
  const rows = sortedRows(table, { column: 'own', descending: true });
  const first = rows.find((index) => isApplication(table, index)) ?? rows[0];
  return first === undefined ? '' : table.names.text(table.name[first]!);
}
