/**
 * The viewport of a timeline: the visible part of a wait, as fractions of it, and the finer tiles
 * that it needs.
 */
import type { TraceTile } from './timeline-tile';

/** The visible part of the timeline, 0 <= from < to <= 1. */
export type TimelineViewport = { from: number; to: number };
export const WHOLE_TIMELINE: TimelineViewport = { from: 0, to: 1 };

/** In a shorter viewport, a nanosecond is wider than a pixel on most screens. */
const NARROWEST_NS = 200;
/** In a smaller viewport, the merged segments of the coarse tile are visibly too coarse. */
const FINE_BELOW = 0.5;
/** A viewport that needs more finer tiles than this shows the coarse tile instead. */
const PIECES_AT_ONCE = 4;

/** Clamps a viewport to the timeline and to the shortest duration that can be drawn. */
export function clampViewport(window: TimelineViewport, spanNs: number): TimelineViewport {
  const least = Math.min(1, NARROWEST_NS / Math.max(spanNs, 1));
  const size = Math.max(least, Math.min(1, window.to - window.from));
  const from = Math.max(0, Math.min(1 - size, window.from));
  return { from, to: from + size };
}

/** @param at the fraction of the viewport that stays in place; a factor below 1 zooms in */
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

/** @param by in fractions of the viewport; positive moves to later times */
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

/**
 * Returns the share of the recorded segments that start before a time. The finer tiles are assumed
 * to have equal shares.
 */
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
 * Returns the numbers of the finer tiles that a viewport needs: an estimate from the coarse tile,
 * corrected by the times of the tiles that are already loaded. The result is empty if the coarse
 * tile is fine enough or if too many tiles would be needed.
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
