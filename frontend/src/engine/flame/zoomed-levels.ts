/** How many levels have something to see: a zoomed frame seldom calls as deep as the whole tree does. Pure. */
import type { Arranged, ZoomTarget } from './flame-model';
import type { Span } from './flame-viewport';
import { frameWidth, spanFrame } from './flame-viewport';
import { levelCount, levelOf, levelsDrawn } from './frame-table';

/** Narrower frames are drawn in the row of their siblings' sum. */
const LEAST_PX = 1;

/**
 * For each table the levels to draw. A window that reaches beyond the zoomed frame shows other frames, and one that is moved
 * must not change its height with each step: the former has all levels, the latter all of the zoomed frame.
 */
export function levelsShown(
  arranged: Arranged,
  zoom: ZoomTarget,
  span: Span | null,
  widthPx: number,
): number[] {
  return arranged.tables.map((frames, table) => {
    const all = levelsDrawn(frames);
    const isBeyond = span !== null && (span.from < 0 || span.to > 1);
    if (table !== zoom.table || zoom.frame === 0 || isBeyond) return all;
    const leastWidth = span === null ? leastVisible(arranged, zoom, widthPx) : 0;
    return Math.min(all, levelsBelow(arranged, zoom, leastWidth));
  });
}

/** The width of a pixel, in shown units. */
function leastVisible(arranged: Arranged, zoom: ZoomTarget, widthPx: number): number {
  const unit = frameWidth(arranged, zoom.table, spanFrame(arranged, zoom, zoom.table));
  return widthPx > 0 ? (LEAST_PX * unit) / widthPx : 0;
}

/** Levels down to the deepest visible frame of a subtree, and one for what it calls: all levels are contiguous. */
function levelsBelow(arranged: Arranged, { table, frame }: ZoomTarget, least: number): number {
  const frames = arranged.tables[table]!;
  let level = levelOf(frames, frame);
  let from = frame;
  let to = frame + 1;
  while (from < to && isAnyVisible(arranged, table, from, to, least)) {
    level++;
    if (level >= levelCount(frames))
      return hasHidden(frames.hiddenNodes, from, to) ? level + 1 : level;
    const next = frames.childStart[from]!;
    const end = frames.childStart[to]!;
    if (next === end) return hasHidden(frames.hiddenNodes, from, to) ? level + 1 : level;
    from = next;
    to = end;
  }
  return level + 1;
}

function isAnyVisible(
  arranged: Arranged,
  table: number,
  from: number,
  to: number,
  least: number,
): boolean {
  for (const { placements } of arranged.sides) {
    const width = placements[table]!.width;
    for (let at = from; at < to; at++) if (width[at]! >= least) return true;
  }
  return false;
}

function hasHidden(hidden: Uint32Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (hidden[at]! > 0) return true;
  return false;
}
