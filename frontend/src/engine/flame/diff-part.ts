/**
 * Reads `slowpath.diff` files: one part of a diff's tree, as rows in ascending node id (the
 * preorder position in the full tree). Checks each row alone; `diff-tree` checks the links.
 */
import type * as api from '../../api/api-types';
import { ColumnError, ColumnFile } from '../format/column-file';
import type { NameTable } from './name-table';
import { readNames } from './name-table';

/** The fields of the header that are shown. */
export type DiffHeader = Pick<
  api.DiffHeader,
  'kind' | 'sample_type' | 'normalizations' | 'default_normalization' | 'categories'
> &
  Record<'base' | 'candidate', api.DiffSide>;

/** Returns whether the view has one side only: a profile set, whose base is empty. */
export const isOneSided = ({ base }: DiffHeader): boolean => base.artifacts === 0;

/**
 * The test results of each row under one normalization. Intervals are of candidate / base, NaN if
 * not computed.
 */
export type RowVerdict = {
  state: Uint8Array<ArrayBuffer>;
  low: Float32Array<ArrayBuffer>;
  high: Float32Array<ArrayBuffer>;
  /** Adjusted for the number of rows; NaN if there were too few samples for a test. */
  q: Float32Array<ArrayBuffer>;
};

/** Columns of the rows, each of the same length. Values are raw. */
export type DiffRows = {
  nodeId: Uint32Array<ArrayBuffer>;
  parentId: Uint32Array<ArrayBuffer>;
  name: Uint32Array<ArrayBuffer>;
  category: Uint8Array<ArrayBuffer>;
  runtime: Uint8Array<ArrayBuffer>;
  baseSelf: Float64Array<ArrayBuffer>;
  baseTotal: Float64Array<ArrayBuffer>;
  candidateSelf: Float64Array<ArrayBuffer>;
  candidateTotal: Float64Array<ArrayBuffer>;
  nodeSize: Uint32Array<ArrayBuffer>;
  /** The number of distinct stacks; 0 if unknown. */
  stacks: Uint32Array<ArrayBuffer>;
  /** In the order of the header's normalizations. */
  judgements: readonly RowVerdict[];
};

export type DiffPart = { header: DiffHeader; rows: DiffRows; names: NameTable };

export const NO_NODE = 0xffffffff;
const CATEGORIES_MAX = 256;
const NORMALIZATIONS_MAX = 8;

type Fields = Record<string, unknown>;

function fieldsOf(value: unknown, what: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new ColumnError('bad-header', `${what} is not an object`);
}

function listOf(value: unknown, what: string, most: number): unknown[] {
  if (!Array.isArray(value)) throw new ColumnError('bad-header', `${what} is not a list`);
  if (value.length > most)
    throw new ColumnError('bad-header', `${what} has too many entries`, most, value.length);
  return value;
}

function textOf(value: unknown, what: string): string {
  if (typeof value === 'string') return value;
  throw new ColumnError('bad-header', `${what} is not a string`);
}

function scaleOf(value: unknown, what: string): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  throw new ColumnError('bad-header', `${what} is not a scale`);
}

function normalizationOf(value: unknown): api.DiffNormalization {
  const fields = fieldsOf(value, 'A normalization');
  return {
    id: textOf(fields.id, 'The id of a normalization'),
    unit: textOf(fields.unit, 'The unit of a normalization'),
    base_scale: scaleOf(fields.base_scale, 'base_scale'),
    candidate_scale: scaleOf(fields.candidate_scale, 'candidate_scale'),
  };
}

function sideOf(value: unknown, what: string): DiffHeader['base'] {
  const { label, artifacts, total_raw: total } = fieldsOf(value, what);
  return {
    label: typeof label === 'string' ? label : '',
    artifacts: typeof artifacts === 'number' && artifacts >= 0 ? artifacts : 1,
    total_raw: typeof total === 'number' && Number.isFinite(total) ? total : 0,
  };
}

/** Reads the header fields that diff and function tables share. @throws ColumnError */
export function readHeaderFields(file: ColumnFile<api.DiffHeader>): DiffHeader {
  const { header } = file;
  const sample = fieldsOf(header.sample_type, 'sample_type');
  const normalizations = listOf(header.normalizations, 'normalizations', NORMALIZATIONS_MAX).map(
    normalizationOf,
  );
  const fallback = normalizations[0];
  if (fallback === undefined) throw new ColumnError('bad-header', 'No normalization is listed');
  const { id } =
    normalizations.find((each) => each.id === header.default_normalization) ?? fallback;
  return {
    kind: file.text('kind'),
    sample_type: {
      type: textOf(sample.type, 'The sample type'),
      unit: textOf(sample.unit, 'The unit'),
    },
    normalizations,
    default_normalization: id,
    categories: listOf(header.categories, 'categories', CATEGORIES_MAX).map((each) =>
      textOf(each, 'A category'),
    ),
    base: sideOf(header.base, 'base'),
    candidate: sideOf(header.candidate, 'candidate'),
  };
}

/** @throws ColumnError `bad-tree` if an element of the column is not below the limit */
export function checkBelow(column: Uint32Array | Uint8Array, limit: number, what: string): void {
  for (const value of column) {
    if (value >= limit)
      throw new ColumnError('bad-tree', `${what} is out of range`, limit - 1, value);
  }
}

function checkIds(rows: DiffRows): void {
  let last = -1;
  for (let row = 0; row < rows.nodeId.length; row++) {
    const id = rows.nodeId[row]!;
    if (id <= last) throw new ColumnError('bad-tree', 'Node ids do not ascend', last, id);
    const parent = rows.parentId[row]!;
    if (id === 0 ? parent !== NO_NODE : parent >= id)
      throw new ColumnError('bad-tree', `The parent of node ${id} comes after it`, id, parent);
    if (rows.nodeSize[row] === 0)
      throw new ColumnError('bad-tree', `The self value of node ${id} exceeds its total`, 1, 0);
    last = id;
  }
}

/** @throws ColumnError if a value is not finite: shares of infinity cannot be drawn */
export function checkFinite(column: Float64Array, what: string): void {
  for (const value of column)
    if (!Number.isFinite(value)) throw new ColumnError('bad-column', `${what} is not a number`);
}

/**
 * Reads one part. Columns are views into the buffer.
 * @throws ColumnError if the file is not a complete and consistent `slowpath.diff`
 */
export function readDiffPart(buffer: ArrayBuffer): DiffPart {
  const file = new ColumnFile<api.DiffHeader>(buffer, 'slowpath.diff');
  const header = readHeaderFields(file);
  const names = readNames(file);
  const nodeId = file.column('node_id', 'u32');
  const count = nodeId.length;
  const rows: DiffRows = {
    nodeId,
    parentId: file.column('node_parent', 'u32', count),
    name: file.column('node_name', 'u32', count),
    category: file.column('node_category', 'u8', count),
    runtime: file.column('node_runtime', 'u8', count),
    baseSelf: file.column('base_self', 'f64', count),
    baseTotal: file.column('base_total', 'f64', count),
    candidateSelf: file.column('candidate_self', 'f64', count),
    candidateTotal: file.column('candidate_total', 'f64', count),
    nodeSize: file.column('node_size', 'u32', count),
    // Older views have neither stacks nor q.
    stacks: file.has('node_stacks')
      ? file.column('node_stacks', 'u32', count)
      : new Uint32Array(count),
    judgements: header.normalizations.map(({ id }) => ({
      state: file.column(`state_${id}`, 'u8', count),
      low: file.column(`low_${id}`, 'f32', count),
      high: file.column(`high_${id}`, 'f32', count),
      q: file.has(`q_${id}`)
        ? file.column(`q_${id}`, 'f32', count)
        : new Float32Array(count).fill(NaN),
    })),
  };
  checkIds(rows);
  checkBelow(rows.name, names.count, 'A name');
  checkBelow(rows.category, header.categories.length, 'A category');
  for (const column of ['baseSelf', 'baseTotal', 'candidateSelf', 'candidateTotal'] as const)
    checkFinite(rows[column], column);
  return { header, rows, names };
}
