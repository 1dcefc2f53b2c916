/**
 * The position of the plot in its panel in CSS pixels. It is the same in every panel, so that times
 * are aligned.
 */
import type { TimeSpan } from '../../engine/dashboard/time-grid';
import { shareOf } from '../../engine/dashboard/dashboard-time';

export const LEFT_PX = 44;
export const RIGHT_PX = 2;
export const TOP_PX = 5;
export const BOTTOM_PX = 9;

export type PlotArea = { widthPx: number; heightPx: number; span: TimeSpan };

export const plotWidth = ({ widthPx }: PlotArea): number =>
  Math.max(1, widthPx - LEFT_PX - RIGHT_PX);

/** Pixels from the panel's left edge. */
export const xOf = (place: PlotArea, atMs: number): number =>
  LEFT_PX + shareOf(place.span, atMs) * plotWidth(place);

/** Pixels from the panel's top; height 0 is the base line. */
export const yOf = ({ heightPx }: PlotArea, height: number): number =>
  TOP_PX + (heightPx - TOP_PX - BOTTOM_PX) * (1 - height);

/** Returns the time at a position in the panel. */
export const timeAtX = (place: PlotArea, x: number): number =>
  place.span.fromMs + ((x - LEFT_PX) / plotWidth(place)) * (place.span.toMs - place.span.fromMs);
