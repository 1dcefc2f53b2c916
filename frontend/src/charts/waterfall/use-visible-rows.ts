import { useEffect, useState, type RefObject } from 'react';
import { ROW_PX } from './SpanRow';

/** Below this many rows all are drawn: find-in-page and printing then work as they should. */
const ALL_BELOW = 120;
/** Rows drawn beyond what is in sight, and how far a scroll goes until they are chosen anew. */
const OVERSCAN = 24;
const SCROLL_ROWS = 8;

/** The rows that a scrolled list shows, with some above and below. */
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

/** The first row to draw of a list of `count` rows, and the one after the last. */
export function useVisibleRows(
  scroller: RefObject<HTMLElement | null>,
  count: number,
): { first: number; last: number } {
  const sight = useSight(scroller);
  if (count <= ALL_BELOW) return { first: 0, last: count };
  return { first: Math.min(sight.first, count - 1), last: Math.min(count, sight.last) };
}
