/** The number of levels to draw: a zoomed frame usually has fewer levels than the whole tree. */
import type { Arranged, ZoomTarget } from './flame-model';
import type { Span } from './flame-viewport';
import { frameWidth, spanFrame } from './flame-viewport';
import { levelCount, levelOf, levelsDrawn } from './frame-table';

/** Narrower frames are combined with their siblings. */
const LEAST_PX = 1;

/**
 * Returns the number of levels to draw of each table. A span beyond the zoomed frame shows other
 * frames, so it has all levels. A span within it has all levels of the zoomed frame, because the
 * height must not change while it is moved.
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

/** Returns the width of a pixel, in shown units. */
function leastVisible(arranged: Arranged, zoom: ZoomTarget, widthPx: number): number {
  const unit = frameWidth(arranged, zoom.table, spanFrame(arranged, zoom, zoom.table));
  return widthPx > 0 ? (LEAST_PX * unit) / widthPx : 0;
}

/** Returns the levels down to the deepest visible frame of a subtree, plus one for its callees. */
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
