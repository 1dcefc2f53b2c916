/** Positions of the segments of a timeline: one row per P, time from left to right. */
import type { TraceTile } from './timeline-tile';

/** Space left of the rows for "P12", above them for the bracket of the wait, below for times. */
export const GUTTER_PX = 38;
export const HEAD_PX = 26;
export const FOOT_PX = 22;
const ROW_LARGEST_PX = 18;
/** Up to this number of Ps, rows are taller. */
const FEW = 4;
const ROW_OF_FEW_PX = 26;
const ROW_SMALLEST_PX = 5;
const ROWS_HEIGHT_PX = 420;
const LABEL_ROOM_PX = 12;

export type Rows = {
  /** The number of each drawn P, from the top. */
  procs: number[];
  rowPx: number;
  barPx: number;
  /** Every `labelEvery`-th row has a label. */
  labelEvery: number;
  heightPx: number;
};

/** Returns rows for all Ps of the tile and for the P on which the wait ended. */
export function rowsOf(tile: TraceTile): Rows {
  const procs = [...new Set([...tile.procs, tile.waitProc])]
    .filter((proc) => proc >= 0 && proc < 65_535)
    .sort((a, b) => a - b);
  const room = Math.floor(ROWS_HEIGHT_PX / Math.max(1, procs.length));
  const rowPx = Math.max(
    ROW_SMALLEST_PX,
    Math.min(procs.length <= FEW ? ROW_OF_FEW_PX : ROW_LARGEST_PX, room),
  );
  return {
    procs,
    rowPx,
    barPx: rowPx > 8 ? rowPx - 3 : rowPx - 1,
    labelEvery: Math.max(1, Math.ceil(LABEL_ROOM_PX / rowPx)),
    heightPx: HEAD_PX + procs.length * rowPx + FOOT_PX,
  };
}

export type TimeScale = { from: number; to: number; x0: number; width: number };

export function xOf(scale: TimeScale, time: number): number {
  return scale.x0 + ((time - scale.from) / (scale.to - scale.from)) * scale.width;
}

export function timeAt(scale: TimeScale, x: number): number {
  return scale.from + ((x - scale.x0) / scale.width) * (scale.to - scale.from);
}

/** Returns the index of the first segment of a P that ends after `time`. */
function firstAfter(tile: TraceTile, row: number, time: number): number {
  let low = tile.procStart[row]!;
  let high = tile.procStart[row + 1]!;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (tile.to[middle]! > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Returns the indexes [first, last) of the segments of one P that overlap [from, to). */
export function segmentsWithin(
  tile: TraceTile,
  proc: number,
  from: number,
  to: number,
): [number, number] {
  const row = tile.procs.indexOf(proc);
  if (row < 0) return [0, 0];
  const first = firstAfter(tile, row, from);
  let last = first;
  const end = tile.procStart[row + 1]!;
  while (last < end && tile.from[last]! < to) last++;
  return [first, last];
}

export type SegmentPosition = { tile: TraceTile; at: number };

/**
 * Returns the segment at a time on a P, from the finest tile that covers the time; null in a gap
 * without data.
 * @param tiles the coarsest first
 */
export function segmentAt(
  tiles: readonly TraceTile[],
  proc: number,
  time: number,
): SegmentPosition | null {
  for (let which = tiles.length - 1; which >= 0; which--) {
    const tile = tiles[which]!;
    if (time < tile.startNs || time >= tile.endNs) continue;
    const row = tile.procs.indexOf(proc);
    if (row < 0) continue;
    const at = firstAfter(tile, row, time);
    if (at < tile.procStart[row + 1]! && tile.from[at]! <= time) return { tile, at };
    return null;
  }
  return null;
}

/** Returns the powers of ten of a log axis that includes a range: at least two. */
export function decades(low: number, high: number): number[] {
  const first = Math.floor(Math.log10(low) + 1e-9);
  const last = Math.max(first + 1, Math.ceil(Math.log10(high) - 1e-9));
  return Array.from({ length: last - first + 1 }, (_, at) => 10 ** (first + at));
}
