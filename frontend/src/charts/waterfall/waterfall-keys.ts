/** The keys of the waterfall that zoom and pan: w, s, a, d, 0 and f. */
import {
  WHOLE_TIMELINE,
  clampViewport,
  panViewport,
  zoomViewport,
  type TimelineViewport,
} from '../../engine/timeline/timeline-viewport';
import type { WaterfallSpan } from '../../engine/spans/waterfall-layout';

const ZOOM_STEP = 0.6;
const PAN_STEP = 0.15;

/** Returns a viewport of a time range with a margin on both sides. */
export function viewportAround(fromNs: number, toNs: number, durationNs: number): TimelineViewport {
  const room = Math.max(1, (toNs - fromNs) * 0.15);
  const all = Math.max(1, durationNs);
  return clampViewport({ from: (fromNs - room) / all, to: (toNs + room) / all }, durationNs);
}

/** Returns the viewport that a key changes to; null for keys without an effect. */
export function viewportOfKey(
  key: string,
  part: TimelineViewport,
  durationNs: number,
  span: WaterfallSpan | null | undefined,
): TimelineViewport | null {
  switch (key) {
    case 'w':
    case '+':
    case '=':
      return zoomViewport(part, ZOOM_STEP, 0.5, durationNs);
    case 's':
    case '-':
      return zoomViewport(part, 1 / ZOOM_STEP, 0.5, durationNs);
    case 'a':
      return panViewport(part, -PAN_STEP, durationNs);
    case 'd':
      return panViewport(part, PAN_STEP, durationNs);
    case '0':
      return WHOLE_TIMELINE;
    case 'f':
      return span
        ? viewportAround(span.start_ns, span.start_ns + span.duration_ns, durationNs)
        : null;
    default:
      return null;
  }
}
