/** The grid of times that a dashboard is drawn on. */

/** Grid times are fromMs + i * stepMs, i < points. */
export type TimeGrid = { fromMs: number; stepMs: number; points: number };
/** From the first to the last moment shown, milliseconds since 1970. */
export type TimeSpan = { fromMs: number; toMs: number };

export const timeAt = (grid: TimeGrid, index: number): number => grid.fromMs + index * grid.stepMs;

export const spanOf = (grid: TimeGrid): TimeSpan => ({
  fromMs: grid.fromMs,
  toMs: grid.fromMs + Math.max(1, grid.points - 1) * grid.stepMs,
});

/** Returns the index of the grid time nearest to a time. */
export function indexAt(grid: TimeGrid, atMs: number): number {
  const index = Math.round((atMs - grid.fromMs) / grid.stepMs);
  return Math.max(0, Math.min(grid.points - 1, index));
}

/** Samples that arrive more than this after their time are late; until then, none are missing. */
export const LATE_MS = 300_000;
