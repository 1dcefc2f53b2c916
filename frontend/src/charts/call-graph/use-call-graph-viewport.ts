/**
 * The visible part of a call graph. A graph that is too wide to be readable as a whole is scaled so
 * that its names are readable, with the selected function, or the largest one, in the middle. It
 * is moved by dragging, and zoomed with the wheel and Ctrl.
 */
import { useCallback, useEffect, useRef, useState, type PointerEvent, type RefObject } from 'react';
import type { PlacedGraph } from './call-graph-layout';

/** The smallest text has 11 px at this scale; smaller text is not readable. */
const READABLE_SCALE = 1;
const LEAST_SCALE = 0.1;
const MOST_SCALE = 3;
const WHEEL_STEP = 1.1;

const clamp = (scale: number): number => Math.min(MOST_SCALE, Math.max(LEAST_SCALE, scale));

export function useCallGraphViewport(placed: PlacedGraph, selected: string) {
  const { width, height, nodes } = placed;
  const box = useRef<HTMLDivElement>(null);
  const whole = useWholeScale(box, width, height);
  const [chosen, setChosen] = useState<number | null>(null);
  const scale = chosen ?? Math.max(whole, READABLE_SCALE);
  const zoom = useCallback(
    (factor: number) => setChosen((before) => clamp((before ?? scale) * factor)),
    [scale],
  );
  const target =
    nodes.find(({ text }) => text === selected) ??
    nodes.reduce<(typeof nodes)[number] | undefined>(
      (most, node) => (most === undefined || node.fontPx > most.fontPx ? node : most),
      undefined,
    );
  const [x, y] = target ? [target.x + target.width / 2, target.y + target.height / 2] : [0, 0];
  const center = useCallback(() => {
    const element = box.current;
    if (!element) return;
    element.scrollLeft = x * scale - element.clientWidth / 2;
    element.scrollTop = y * scale - element.clientHeight / 2;
  }, [x, y, scale]);
  useEffect(center, [center]);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const onWheel = (event: WheelEvent): void => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      zoom(event.deltaY < 0 ? WHEEL_STEP : 1 / WHEEL_STEP);
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [zoom]);
  return { box, scale, zoom, fit: () => setChosen(whole), center, pan: usePan() };
}

/** Returns the scale at which the whole graph fits into the box, at most 1. */
function useWholeScale(
  box: RefObject<HTMLDivElement | null>,
  width: number,
  height: number,
): number {
  const [whole, setWhole] = useState(1);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const watcher = new ResizeObserver(() => {
      const most = Number.parseFloat(getComputedStyle(element).maxHeight) || element.clientHeight;
      if (element.clientWidth > 0 && width > 0 && height > 0)
        setWhole(clamp(Math.min(1, element.clientWidth / width, most / height)));
    });
    watcher.observe(element);
    return () => watcher.disconnect();
  }, [box, width, height]);
  return whole;
}

/** Dragging the background moves the graph. On touch screens, the browser scrolls it. */
function usePan() {
  const from = useRef<{ x: number; y: number } | null>(null);
  const end = () => {
    from.current = null;
  };
  return {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      const isNode = (event.target as Element).closest('[data-node]') !== null;
      if (event.button === 0 && event.pointerType === 'mouse' && !isNode)
        from.current = { x: event.clientX, y: event.clientY };
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      if (from.current === null) return;
      event.currentTarget.scrollLeft -= event.clientX - from.current.x;
      event.currentTarget.scrollTop -= event.clientY - from.current.y;
      from.current = { x: event.clientX, y: event.clientY };
    },
    onPointerUp: end,
    onPointerLeave: end,
  };
}
