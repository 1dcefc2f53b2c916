/**
 * Reads `slowpath.diff` files: one part of a diff's tree, as rows in ascending node id (the preorder position in the full
 * tree). It checks what each row claims on its own; how rows of several parts hang together is `diff-tree`'s matter.
 */
import { ColumnError, ColumnFile } from '../format/column-file';
import type { NameTable } from './name-table';
import { readNames } from './name-table';

/** A way to make the two sides comparable. Shown value = raw value times the side's scale. */
export type Basis = { id: string; unit: string; baseScale: number; candidateScale: number };

type SideHeader = { label: string; artifacts: number; totalRaw: number };

export type DiffHeader = {
  kind: string;
  sampleType: { type: string; unit: string };
  granularity: string;
  part: string;
  nodesTotal: number;
  bases: readonly Basis[];
  defaultBasis: string;
  categories: readonly string[];
  base: SideHeader;
  candidate: SideHeader;
};

/** What the analysis judged of each row under one basis. Intervals are of candidate / base; NaN where not computed. */
export type RowVerdict = {
  state: Uint8Array<ArrayBuffer>;
  low: Float32Array<ArrayBuffer>;
  high: Float32Array<ArrayBuffer>;
  /** Corrected for the number of rows; NaN where there was too little to test. */
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
  /** The number of distinct stacks of each; 0 when that is not known. */
  stacks: Uint32Array<ArrayBuffer>;
  /** In the order of the header's bases. */
  judgements: readonly RowVerdict[];
};

export type DiffPart = { header: DiffHeader; rows: DiffRows; names: NameTable };

export const NO_NODE = 0xffffffff;
const CATEGORIES_MAX = 256;
const BASES_MAX = 8;

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

function basisOf(value: unknown): Basis {
  const fields = fieldsOf(value, 'A normalization');
  return {
    id: textOf(fields.id, 'The id of a normalization'),
    unit: textOf(fields.unit, 'The unit of a normalization'),
    baseScale: scaleOf(fields.base_scale, 'base_scale'),
    candidateScale: scaleOf(fields.candidate_scale, 'candidate_scale'),
  };
}

function sideOf(value: unknown, what: string): SideHeader {
  const fields = fieldsOf(value, what);
  const { label, artifacts, total_raw: total } = fields;
  return {
    label: typeof label === 'string' ? label : '',
    artifacts: Array.isArray(artifacts)
      ? artifacts.length
      : typeof artifacts === 'number'
        ? artifacts
        : 0,
    totalRaw: typeof total === 'number' && Number.isFinite(total) ? total : 0,
  };
}

/** The header fields that diff and function tables share. @throws ColumnError */
export function readHeaderFields(file: ColumnFile): DiffHeader {
  const { header } = file;
  const sample = fieldsOf(header.sample_type, 'sample_type');
  const bases = listOf(header.bases, 'bases', BASES_MAX).map(basisOf);
  const fallback = bases[0];
  if (fallback === undefined) throw new ColumnError('bad-header', 'No normalization is listed');
  const wanted = header.default_normalization;
  return {
    kind: file.text('kind'),
    sampleType: {
      type: textOf(sample.type, 'The sample type'),
      unit: textOf(sample.unit, 'The unit'),
    },
    granularity: file.text('granularity'),
    part: typeof header.part === 'string' ? header.part : 'all',
    nodesTotal: typeof header.nodes_total === 'number' ? file.whole('nodes_total') : 0,
    bases,
    defaultBasis: bases.some((basis) => basis.id === wanted) ? String(wanted) : fallback.id,
    categories: listOf(header.categories, 'categories', CATEGORIES_MAX).map((id) =>
      textOf(id, 'A category'),
    ),
    base: sideOf(header.base, 'base'),
    candidate: sideOf(header.candidate, 'candidate'),
  };
}

/** @throws ColumnError `bad-tree` when an element of the column is not below the limit. */
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

/** @throws ColumnError when a value is not a finite number. Shares of infinity cannot be drawn. */
export function checkFinite(column: Float64Array, what: string): void {
  for (const value of column)
    if (!Number.isFinite(value)) throw new ColumnError('bad-column', `${what} is not a number`);
}

/**
 * Opens one part. Columns are views into the buffer.
 * @throws ColumnError when the file is not a whole `slowpath.diff` or contradicts itself.
 */
export function readDiffPart(buffer: ArrayBuffer): DiffPart {
  const file = new ColumnFile(buffer, 'slowpath.diff');
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
    // Views built before these two existed have neither.
    stacks: file.has('node_stacks')
      ? file.column('node_stacks', 'u32', count)
      : new Uint32Array(count),
    judgements: header.bases.map(({ id }) => ({
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
