import { useCallback, useState, type RefObject } from 'react';
import type { Target } from './frame-description';

type OpenedMenu = { target: Extract<Target, { kind: 'frame' }>; left: number; top: number };

/** Returns the position and the frame of the open menu. A rest has no menu. */
export function useFrameMenu(scroller: RefObject<HTMLElement | null>) {
  const [menu, setMenu] = useState<OpenedMenu | null>(null);
  const openMenu = useCallback(
    (target: Target, left: number, top: number) =>
      setMenu(target.kind === 'frame' ? { target, left, top } : null),
    [],
  );
  const closeMenu = useCallback(() => {
    setMenu(null);
    scroller.current?.focus({ preventScroll: true });
  }, [scroller]);
  return { menu, openMenu, closeMenu };
}
