/** The position of a time in the viewport of a trace. */
import type { TimelineViewport } from '../../engine/timeline/timeline-viewport';

export type TimeScale = {
  /** Fraction of the lane from its left edge, limited to a little outside of it. */
  clamped: (ns: number) => number;
  fromNs: number;
  toNs: number;
  widthPx: number;
};

const OUTSIDE = 0.02;

export function timeScale(
  window: TimelineViewport,
  durationNs: number,
  widthPx: number,
): TimeScale {
  const fromNs = window.from * durationNs;
  const toNs = Math.max(window.to * durationNs, fromNs + 1);
  return {
    clamped: (ns) => Math.max(-OUTSIDE, Math.min(1 + OUTSIDE, (ns - fromNs) / (toNs - fromNs))),
    fromNs,
    toNs,
    widthPx,
  };
}
