/**
 * The window of a timeline: which part of a wait is visible, as fractions of it, and which finer tiles that needs.
 * Pure.
 */
import type { TraceTile } from './timeline-tile';

/** A part of the whole, 0 <= from < to <= 1. */
export type TimelineViewport = { from: number; to: number };
export const WHOLE_TIMELINE: TimelineViewport = { from: 0, to: 1 };

/** Closer than this a nanosecond is wider than a pixel in most windows. */
const NARROWEST_NS = 200;
/** From here on the coarse tile's merged segments are wide enough to be missed. */
const FINE_BELOW = 0.5;
/** More pieces at once than these cost more to fetch than they show. */
const PIECES_AT_ONCE = 4;

/** Held inside the whole, and no closer than can be drawn. */
export function clampViewport(window: TimelineViewport, spanNs: number): TimelineViewport {
  const least = Math.min(1, NARROWEST_NS / Math.max(spanNs, 1));
  const size = Math.max(least, Math.min(1, window.to - window.from));
  const from = Math.max(0, Math.min(1 - size, window.from));
  return { from, to: from + size };
}

/** @param at the fraction of the window that stays where it is; factor below 1 = closer. */
export function zoomViewport(
  window: TimelineViewport,
  factor: number,
  at: number,
  spanNs: number,
): TimelineViewport {
  const size = window.to - window.from;
  const fixed = window.from + at * size;
  const next = Math.min(1, size * factor);
  return clampViewport({ from: fixed - at * next, to: fixed + (1 - at) * next }, spanNs);
}

/** @param by in fractions of the window; positive looks later. */
export function panViewport(
  window: TimelineViewport,
  by: number,
  spanNs: number,
): TimelineViewport {
  const size = window.to - window.from;
  const from = Math.max(0, Math.min(1 - size, window.from + by * size));
  return clampViewport({ from, to: from + size }, spanNs);
}

export function viewportNs(
  tile: { startNs: number; endNs: number },
  window: TimelineViewport,
): { from: number; to: number } {
  const span = tile.endNs - tile.startNs;
  return { from: tile.startNs + window.from * span, to: tile.startNs + window.to * span };
}

/** How many raw runs lie before each time, as parts of all: the pieces of the finer level are cut by that. */
function shareBefore(tile: TraceTile, time: number): number {
  let before = 0;
  let all = 0;
  for (let at = 0; at < tile.from.length; at++) {
    all += tile.merged[at]!;
    if (tile.from[at]! < time) before += tile.merged[at]!;
  }
  return all === 0 ? 0 : before / all;
}

export type PieceSpan = { number: number; startNs: number; endNs: number };

/**
 * Which pieces of the finer level a window needs, guessed from the runs of the coarse tile and then mended by what the
 * pieces that have come say of themselves. Empty while the coarse tile is fine enough, or too many would be needed.
 */
export function tilesInView(
  coarse: TraceTile,
  window: TimelineViewport,
  known: readonly PieceSpan[],
): number[] {
  const count = coarse.finer;
  if (count === 0 || window.to - window.from > FINE_BELOW) return [];
  const { from, to } = viewportNs(coarse, window);
  const guess = (time: number) =>
    Math.min(count - 1, Math.floor(shareBefore(coarse, time) * count));
  let first = guess(from);
  let last = Math.max(first, guess(to));
  for (const piece of known) {
    const starts = piece.startNs <= from;
    const ends = piece.endNs >= to;
    if (starts && from < piece.endNs) first = piece.number;
    else if (piece.endNs <= from) first = Math.max(first, piece.number + 1);
    else first = Math.min(first, Math.max(0, piece.number - 1));
    if (ends && to > piece.startNs) last = piece.number;
    else if (piece.startNs >= to) last = Math.min(last, piece.number - 1);
    else last = Math.max(last, Math.min(count - 1, piece.number + 1));
  }
  first = Math.max(0, Math.min(count - 1, first));
  last = Math.max(first, Math.min(count - 1, last));
  if (last - first + 1 > PIECES_AT_ONCE) return [];
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}
