import { useEffect, useRef, type RefObject } from 'react';
import {
  GUTTER_PX,
  HEAD_PX,
  segmentAt,
  timeAt,
  type TimeScale,
  type Rows,
} from '../../engine/timeline/timeline-layout';
import {
  WHOLE_TIMELINE,
  panViewport,
  zoomViewport,
  type TimelineViewport,
} from '../../engine/timeline/timeline-viewport';
import type { TraceTile } from '../../engine/timeline/timeline-tile';
import { listenToGestures } from '../flame/flame-gestures';
import type { HoveredSegment } from './use-timeline-drawing';

type Places = {
  host: RefObject<HTMLElement | null>;
  canvas: RefObject<HTMLCanvasElement | null>;
};

type MovableTimeline = {
  shown: TimelineViewport;
  scale: TimeScale;
  rows: Rows;
  tiles: readonly TraceTile[];
  /** Length of the whole timeline in nanoseconds. */
  span: number;
  onWindow: (window: TimelineViewport) => void;
};

/** Hovers, pans and zooms the timeline with pointer and wheel. */
export function useTimelineGestures(
  { host, canvas }: Places,
  timeline: MovableTimeline,
  setHovered: (hovered: HoveredSegment | null) => void,
): void {
  // The latest props, for listeners that are added once.
  const latest = useRef(timeline);
  useEffect(() => {
    latest.current = timeline;
  });
  useEffect(() => {
    const element = canvas.current;
    if (!element) return undefined;
    const fractionAt = (x: number) => (x - GUTTER_PX) / latest.current.scale.width;
    return listenToGestures(element, {
      hover: (x, y) => {
        const now = latest.current;
        const proc = now.rows.procs[Math.floor((y - HEAD_PX) / now.rows.rowPx)];
        const place =
          proc === undefined || x < GUTTER_PX
            ? null
            : segmentAt(now.tiles, proc, timeAt(now.scale, x));
        setHovered(place && { place, x, y });
      },
      leave: () => setHovered(null),
      choose: () => {
        host.current?.focus({ preventScroll: true });
      },
      reset: () => latest.current.onWindow(WHOLE_TIMELINE),
      menu: () => setHovered(null),
      pan: (dx) => {
        const now = latest.current;
        now.onWindow(panViewport(now.shown, -dx / now.scale.width, now.span));
      },
      zoom: (factor, x) => {
        const now = latest.current;
        now.onWindow(zoomViewport(now.shown, factor, fractionAt(x), now.span));
      },
      dragging: () => setHovered(null),
    });
  }, [host, canvas, setHovered]);
}
