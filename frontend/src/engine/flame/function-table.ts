/** Reads `slowpath.functions`: rows of the function table. Columns are views, values are raw. */
import type * as api from '../../api/api-types';
import { ColumnFile } from '../format/column-file';
import type { DiffHeader } from './diff-part';
import { checkBelow, checkFinite, readHeaderFields } from './diff-part';
import type { NameTable } from './name-table';
import { readNames } from './name-table';

/** Results of one basis: intervals of candidate / base (NaN if not computed), states of `STATE`. */
type FunctionVerdict = {
  low: Float32Array<ArrayBuffer>;
  high: Float32Array<ArrayBuffer>;
  q: Float32Array<ArrayBuffer>;
  state: Uint8Array<ArrayBuffer>;
  selfLow: Float32Array<ArrayBuffer>;
  selfHigh: Float32Array<ArrayBuffer>;
  selfState: Uint8Array<ArrayBuffer>;
  /** Results of the own cost (self plus attributed); of the self cost in files without these. */
  ownLow: Float32Array<ArrayBuffer>;
  ownHigh: Float32Array<ArrayBuffer>;
  ownState: Uint8Array<ArrayBuffer>;
};

export type FunctionTable = {
  header: DiffHeader;
  names: NameTable;
  count: number;
  name: Uint32Array<ArrayBuffer>;
  file: Uint32Array<ArrayBuffer>;
  category: Uint8Array<ArrayBuffer>;
  baseSelf: Float64Array<ArrayBuffer>;
  baseTotal: Float64Array<ArrayBuffer>;
  candidateSelf: Float64Array<ArrayBuffer>;
  candidateTotal: Float64Array<ArrayBuffer>;
  /** Cost of runtime stacks that is attributed to the function; zero in files without it. */
  baseAttributed: Float64Array<ArrayBuffer>;
  candidateAttributed: Float64Array<ArrayBuffer>;
  /** The category with the largest attributed cost, or `OWN_CODE`. */
  mostly: Uint8Array<ArrayBuffer>;
  /** In the order of the header's normalizations. */
  judgements: readonly FunctionVerdict[];
};

/** A value of `mostly`: the self cost is larger than the cost of any attributed category. */
export const OWN_CODE = 255;

const VALUES = [
  'baseSelf',
  'baseTotal',
  'candidateSelf',
  'candidateTotal',
  'baseAttributed',
  'candidateAttributed',
] as const;

function ownVerdict(
  file: ColumnFile<api.DiffHeader>,
  id: string,
  count: number,
): Pick<FunctionVerdict, 'ownLow' | 'ownHigh' | 'ownState'> {
  const cost = file.has(`own_state_${id}`) ? 'own' : 'self';
  return {
    ownLow: file.column(`${cost}_low_${id}`, 'f32', count),
    ownHigh: file.column(`${cost}_high_${id}`, 'f32', count),
    ownState: file.column(`${cost}_state_${id}`, 'u8', count),
  };
}

/** @throws ColumnError if the file is not a complete `slowpath.functions` */
export function readFunctions(buffer: ArrayBuffer): FunctionTable {
  const file = new ColumnFile<api.DiffHeader>(buffer, 'slowpath.functions');
  const header = readHeaderFields(file);
  const names = readNames(file);
  const name = file.column('name', 'u32');
  const count = name.length;
  const attributed = (side: 'base' | 'candidate') =>
    file.has(`${side}_attributed`)
      ? file.column(`${side}_attributed`, 'f64', count)
      : new Float64Array(count);
  const table: FunctionTable = {
    header,
    names,
    count,
    name,
    file: file.column('file', 'u32', count),
    category: file.column('category', 'u8', count),
    baseSelf: file.column('base_self', 'f64', count),
    baseTotal: file.column('base_total', 'f64', count),
    candidateSelf: file.column('candidate_self', 'f64', count),
    candidateTotal: file.column('candidate_total', 'f64', count),
    baseAttributed: attributed('base'),
    candidateAttributed: attributed('candidate'),
    mostly: file.has('mostly')
      ? file.column('mostly', 'u8', count)
      : new Uint8Array(count).fill(OWN_CODE),
    judgements: header.normalizations.map(({ id }) => ({
      low: file.column(`low_${id}`, 'f32', count),
      high: file.column(`high_${id}`, 'f32', count),
      q: file.column(`q_${id}`, 'f32', count),
      state: file.column(`state_${id}`, 'u8', count),
      selfLow: file.column(`self_low_${id}`, 'f32', count),
      selfHigh: file.column(`self_high_${id}`, 'f32', count),
      selfState: file.column(`self_state_${id}`, 'u8', count),
      ...ownVerdict(file, id, count),
    })),
  };
  checkBelow(table.name, names.count, 'A name');
  checkBelow(table.file, names.count, 'A file name');
  checkBelow(table.category, header.categories.length, 'A category');
  for (const column of VALUES) checkFinite(table[column], column);
  return table;
}

/** Prefix of frames that contain the wake reason of a goroutine: "woken: created". */
const WAKE_REASON = 'woken: ';

/** Returns the indexes of functions, without root frames that only contain a wake reason. */
export function functionIndices(table: FunctionTable): Uint32Array<ArrayBuffer> {
  const all = Uint32Array.from({ length: table.count }, (_, index) => index);
  return all.filter(
    (index) =>
      table.baseSelf[index] !== 0 ||
      table.candidateSelf[index] !== 0 ||
      !table.names.text(table.name[index]!).startsWith(WAKE_REASON),
  );
}
