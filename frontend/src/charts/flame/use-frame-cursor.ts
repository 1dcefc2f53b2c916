import { useCallback, useState, type RefObject } from 'react';
import type { FlameController } from './flame-controller';
import { sameTarget, type Target } from './frame-description';
import type { FrameCursor } from './frame-navigation';
import type { FlameData } from './use-flame-data';
import { useHoverDescription, usePersistentCursor, useSearchNavigation } from './use-flame-effects';

type ShownGraph = {
  controller: FlameController;
  scroller: RefObject<HTMLDivElement | null>;
  height: number;
};

/** Returns the hovered frame and the keyboard cursor; `reveal` moves the cursor and scrolls. */
export function useFrameCursor(
  { controller, scroller, height }: ShownGraph,
  { worker, arranged }: FlameData,
  onFunctionHover: ((name: string | null) => void) | undefined,
) {
  const [hovered, setHovered] = useState<Target | null>(null);
  const [cursor, setCursor] = useState<FrameCursor | null>(null);
  const [sought, setSought] = useState<FrameCursor | null>(null);
  usePersistentCursor(worker, arranged, cursor, setCursor);
  const found = useCallback(() => setSought(null), []);
  useSearchNavigation(scroller, controller, { sought, height }, found);
  useHoverDescription(arranged, hovered, cursor, onFunctionHover);
  return {
    hovered,
    cursor,
    setCursor,
    setHovered: useCallback(
      (target: Target | null) =>
        setHovered((before) => (sameTarget(before, target) ? before : target)),
      [],
    ),
    reveal: useCallback((frame: FrameCursor) => {
      setCursor(frame);
      setSought(frame);
    }, []),
  };
}
