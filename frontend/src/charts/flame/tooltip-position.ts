/** Positions a tooltip beside its frame, never over it or what it calls, in pixels of a surface. */

export type Box = { left: number; top: number; right: number; bottom: number };
type Size = { width: number; height: number };

const GAP_PX = 12;

/**
 * @param kept what must stay uncovered: the frame and everything below it.
 * @param frame the frame alone: the tip begins at its edge.
 * @param bounds where the tip may be.
 * @param downwards whether callees stand below their callers.
 */
export function placeTooltip(
  kept: Box,
  frame: Box,
  tip: Size,
  bounds: Box,
  downwards: boolean,
): { left: number; top: number } {
  const within = (value: number, low: number, high: number): number =>
    Math.max(low, Math.min(high, value));
  const top = within(frame.top, bounds.top, bounds.bottom - tip.height);
  const left = within(Math.max(frame.left, bounds.left), bounds.left, bounds.right - tip.width);
  const above = { left, top: kept.top - GAP_PX - tip.height };
  const below = { left, top: kept.bottom + GAP_PX };
  const aboveFits = above.top >= bounds.top;
  const belowFits = below.top + tip.height <= bounds.bottom;
  if (kept.right + GAP_PX + tip.width <= bounds.right) return { left: kept.right + GAP_PX, top };
  if (kept.left - GAP_PX - tip.width >= bounds.left)
    return { left: kept.left - GAP_PX - tip.width, top };
  if (downwards) return aboveFits || !belowFits ? above : below;
  return belowFits || !aboveFits ? below : above;
}
