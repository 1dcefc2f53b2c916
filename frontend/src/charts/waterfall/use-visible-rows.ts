import { useEffect, useState, type RefObject } from 'react';
import { ROW_PX } from './SpanRow';

/** Lists with at most this many rows are rendered whole, for find-in-page and printing. */
const ALL_BELOW = 120;
/** Rows rendered beyond those in view, and rows to scroll until they are chosen again. */
const OVERSCAN = 24;
const SCROLL_ROWS = 8;

/** Returns the rows in view of a scrolled list, with some above and below. */
function useSight(scroller: RefObject<HTMLElement | null>): { first: number; last: number } {
  const [sight, setSight] = useState({ first: 0, last: ALL_BELOW });
  useEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    const look = () => {
      const top = Math.floor(element.scrollTop / ROW_PX / SCROLL_ROWS) * SCROLL_ROWS;
      const first = Math.max(0, top - OVERSCAN);
      const height = element.clientHeight || ALL_BELOW * ROW_PX;
      const last = top + Math.ceil(height / ROW_PX) + SCROLL_ROWS + OVERSCAN;
      setSight((before) =>
        before.first === first && before.last === last ? before : { first, last },
      );
    };
    look();
    const watcher = new ResizeObserver(look);
    watcher.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      watcher.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [scroller]);
  return sight;
}

/** Returns the first row to render of a list of `count` rows, and the one after the last. */
export function useVisibleRows(
  scroller: RefObject<HTMLElement | null>,
  count: number,
): { first: number; last: number } {
  const sight = useSight(scroller);
  if (count <= ALL_BELOW) return { first: 0, last: count };
  return { first: Math.min(sight.first, count - 1), last: Math.min(count, sight.last) };
}
