/** The keys of the timeline: w, s, a, d, arrows, 0, Home and End. */
import {
  WHOLE_TIMELINE,
  panViewport,
  zoomViewport,
  type TimelineViewport,
} from '../../engine/timeline/timeline-viewport';
import type { TraceTile } from '../../engine/timeline/timeline-tile';

const ZOOM_STEP = 0.6;
const PAN_STEP = 0.15;

/** Returns the viewport that a key changes to; null for keys without an effect. */
export function viewportOfKey(
  key: string,
  shown: TimelineViewport,
  span: number,
  tile: TraceTile,
): TimelineViewport | null {
  switch (key) {
    case 'w':
    case '+':
    case '=':
      return zoomViewport(shown, ZOOM_STEP, 0.5, span);
    case 's':
    case '-':
      return zoomViewport(shown, 1 / ZOOM_STEP, 0.5, span);
    case 'a':
    case 'ArrowLeft':
      return panViewport(shown, -PAN_STEP, span);
    case 'd':
    case 'ArrowRight':
      return panViewport(shown, PAN_STEP, span);
    case '0':
      return WHOLE_TIMELINE;
    case 'Home':
      return around(tile.waitStartNs, shown, tile);
    case 'End':
      return around(tile.waitEndNs, shown, tile);
    default:
      return null;
  }
}

/** Returns a viewport of the same length with a time in the middle. */
function around(time: number, shown: TimelineViewport, tile: TraceTile): TimelineViewport {
  const at = (time - tile.startNs) / (tile.endNs - tile.startNs);
  const half = (shown.to - shown.from) / 2;
  return panViewport({ from: at - half, to: at + half }, 0, tile.endNs - tile.startNs);
}
