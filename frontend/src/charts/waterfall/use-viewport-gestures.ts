/** Wheel and drag over the bars: Ctrl and the wheel zoom, a sideways wheel or a drag pans. */
import { useEffect, useRef, type RefObject } from 'react';
import {
  panViewport,
  zoomViewport,
  type TimelineViewport,
} from '../../engine/timeline/timeline-viewport';

type ViewportGestures = {
  window: TimelineViewport;
  onWindow: (window: TimelineViewport) => void;
  spanNs: number;
  /** Width of the time axis, and its distance from the right edge of the element, in CSS pixels. */
  widthPx: number;
  rightPx: number;
};

const ZOOM_PER_PX = 0.004;
const LINE_PX = 16;
/** A press that moves less than this is a click. */
const CLICK_REACH_PX = 4;

export function useViewportGestures(
  host: RefObject<HTMLElement | null>,
  now: ViewportGestures,
): void {
  const latest = useRef(now);
  useEffect(() => {
    latest.current = now;
  });
  useEffect(() => {
    const element = host.current;
    if (!element) return undefined;
    const stop = new AbortController();
    const { signal } = stop;
    const fraction = (clientX: number) => {
      const box = element.getBoundingClientRect();
      const { widthPx, rightPx } = latest.current;
      return (clientX - (box.right - rightPx - widthPx)) / Math.max(1, widthPx);
    };
    const pan = (px: number) => {
      const { window: shown, onWindow, spanNs, widthPx } = latest.current;
      onWindow(panViewport(shown, px / Math.max(1, widthPx), spanNs));
    };
    const wheel = (event: WheelEvent) => {
      const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE_PX : 1;
      const { window: shown, onWindow, spanNs } = latest.current;
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        const factor = Math.exp(event.deltaY * unit * ZOOM_PER_PX);
        onWindow(zoomViewport(shown, factor, fraction(event.clientX), spanNs));
        return;
      }
      const across = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
      if (!event.shiftKey && Math.abs(across) <= Math.abs(event.deltaY)) return;
      event.preventDefault();
      pan(across * unit);
    };
    let from: number | null = null;
    let dragged = false;
    const down = (event: PointerEvent) => {
      if (event.button !== 0 || fraction(event.clientX) < 0) return;
      from = event.clientX;
      dragged = false;
    };
    const move = (event: PointerEvent) => {
      if (from === null) return;
      if (!dragged && Math.abs(event.clientX - from) < CLICK_REACH_PX) return;
      if (!dragged) element.setPointerCapture(event.pointerId);
      dragged = true;
      pan(from - event.clientX);
      from = event.clientX;
    };
    const up = () => {
      from = null;
    };
    element.addEventListener('wheel', wheel, { signal, passive: false });
    element.addEventListener('pointerdown', down, { signal });
    element.addEventListener('pointermove', move, { signal });
    element.addEventListener('pointerup', up, { signal });
    element.addEventListener('pointercancel', up, { signal });
    return () => stop.abort();
  }, [host]);
}
