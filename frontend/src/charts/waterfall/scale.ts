/** Where a time stands in what is shown of a trace. */
import type { TimelineWindow } from '../../engine/timeline-window';

export type TimeScale = {
  /** Fraction of the lane, 0 = its left edge; a little outside at most, so that nothing is drawn far away. */
  clamped: (ns: number) => number;
  fromNs: number;
  toNs: number;
  widthPx: number;
};

const OUTSIDE = 0.02;

export function timeScale(window: TimelineWindow, durationNs: number, widthPx: number): TimeScale {
  const fromNs = window.from * durationNs;
  const toNs = Math.max(window.to * durationNs, fromNs + 1);
  return {
    clamped: (ns) => Math.max(-OUTSIDE, Math.min(1 + OUTSIDE, (ns - fromNs) / (toNs - fromNs))),
    fromNs,
    toNs,
    widthPx,
  };
}
