import { useLayoutEffect, useState, type RefObject } from 'react';

/** Returns the width of an element in CSS pixels. */
export function useElementWidth(box: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(640);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const seen = new ResizeObserver(() => setWidth(Math.max(160, element.clientWidth)));
    seen.observe(element);
    return () => seen.disconnect();
  }, [box]);
  return width;
}
