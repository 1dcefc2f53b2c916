/** Positions of the names at the ends of lines, so that none covers another. */
import { BOTTOM_PX, TOP_PX, type PlotArea } from './plot-area';

const LETTER_HEIGHT_PX = 12;

/**
 * Returns the positions of names in pixels from the top, close to the wanted ones: in the same
 * order, at least a line of text apart, and inside the plot as far as they fit.
 */
export function separatedTops(wanted: readonly number[], { heightPx }: PlotArea): number[] {
  const order = wanted.map((_, at) => at).toSorted((a, b) => wanted[a]! - wanted[b]!);
  const tops = [...wanted];
  let least = TOP_PX + LETTER_HEIGHT_PX - 2;
  for (const at of order) {
    tops[at] = Math.max(least, tops[at]!);
    least = tops[at] + LETTER_HEIGHT_PX;
  }
  let most = heightPx - BOTTOM_PX - 2;
  for (const at of order.toReversed()) {
    tops[at] = Math.min(most, tops[at]!);
    most = tops[at] - LETTER_HEIGHT_PX;
  }
  return tops;
}
