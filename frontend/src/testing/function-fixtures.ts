/** A `slowpath.functions` file for tests. */
import type { DiffHeader } from '../api';
import { stringColumns, writeColumns } from './column-writer';

type FunctionDrawn = {
  name: string;
  base: number;
  candidate: number;
  state: number;
  /**
   * Attributed cost of the candidate or of both sides, and the category of most of it: {@link
   * OWN_CODE} without.
   */
  attributed?: number | readonly [number, number];
  mostly?: number;
  low?: number;
  high?: number;
  q?: number;
  /** Index in {@link CATEGORIES}. */
  category?: number;
};

const OWN_CODE = 255;

const attributedOf = (cost: FunctionDrawn['attributed'] = 0): readonly [number, number] =>
  typeof cost === 'number' ? [0, cost] : cost;

const CATEGORIES = ['app', 'lock', 'gc-mark'];

/**
 * Returns a function table with the normalizations "share" and "per_second"; values are nanoseconds
 * over one second on each side.
 */
export function functionsFile(rows: FunctionDrawn[]): ArrayBuffer {
  const total = (side: 'base' | 'candidate') => Math.max(0, ...rows.map((row) => row[side]));
  const normalizations = [
    {
      id: 'share',
      unit: 'share',
      base_scale: 1 / (total('base') || 1),
      candidate_scale: 1 / (total('candidate') || 1),
    },
    { id: 'per_second', unit: 's/s', base_scale: 1e-9, candidate_scale: 1e-9 },
  ];
  const judged = Object.fromEntries(
    normalizations.flatMap(({ id }) => [
      [`low_${id}`, Float32Array.from(rows, ({ low = NaN }) => low)],
      [`high_${id}`, Float32Array.from(rows, ({ high = NaN }) => high)],
      [`q_${id}`, Float32Array.from(rows, ({ q = 0 }) => q)],
      [`state_${id}`, Uint8Array.from(rows, ({ state }) => state)],
      ...['self', 'own'].flatMap((cost) => [
        [`${cost}_low_${id}`, Float32Array.from(rows, ({ low = NaN }) => low)],
        [`${cost}_high_${id}`, Float32Array.from(rows, ({ high = NaN }) => high)],
        [`${cost}_state_${id}`, Uint8Array.from(rows, ({ state }) => state)],
      ]),
    ]),
  ) as Record<string, Uint8Array | Float32Array>;
  return writeColumns(
    {
      format: 'slowpath.functions',
      format_version: 1,
      kind: 'cpu',
      sample_type: { type: 'cpu', unit: 'nanoseconds' },
      granularity: 'function',
      normalizations,
      default_normalization: 'per_second',
      categories: CATEGORIES,
      base: { label: 'base', artifacts: 2, total_raw: total('base') },
      candidate: { label: 'candidate', artifacts: 2, total_raw: total('candidate') },
    } satisfies DiffHeader,
    {
      name: Uint32Array.from(rows, (_, index) => index + 1),
      file: new Uint32Array(rows.length),
      category: Uint8Array.from(rows, ({ category = 0 }) => category),
      base_self: Float64Array.from(rows, ({ base }) => base),
      base_total: Float64Array.from(rows, ({ base }) => base),
      candidate_self: Float64Array.from(rows, ({ candidate }) => candidate),
      candidate_total: Float64Array.from(rows, ({ candidate }) => candidate),
      base_attributed: Float64Array.from(rows, ({ attributed }) => attributedOf(attributed)[0]),
      candidate_attributed: Float64Array.from(
        rows,
        ({ attributed }) => attributedOf(attributed)[1],
      ),
      mostly: Uint8Array.from(rows, ({ mostly = OWN_CODE }) => mostly),
      ...judged,
      ...stringColumns(['', ...rows.map(({ name }) => name)]),
    },
  );
}
