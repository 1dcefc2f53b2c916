/** Connects pointer and wheel to the controller. */
import type { RefObject } from 'react';
import { useEffect, useRef } from 'react';
import type { FlameController } from './flame-controller';
import css from './flame.module.css';
import { listenToGestures } from './flame-gestures';
import type { Target } from './frame-description';

type Handlers = {
  hover: (target: Target | null) => void;
  choose: (target: Target) => void;
  openMenu: (target: Target, left: number, top: number) => void;
};

type Surfaces = {
  scroller: RefObject<HTMLDivElement | null>;
  canvas: RefObject<HTMLCanvasElement | null>;
};

export function useFlameGestures(
  controller: FlameController,
  { scroller, canvas }: Surfaces,
  handlers: Handlers,
): void {
  const latest = useRef(handlers);
  useEffect(() => {
    latest.current = handlers;
  });
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return undefined;
    return listenToGestures(element, {
      hover: (x, y) => latest.current.hover(controller.targetAt(x, y)),
      leave: () => latest.current.hover(null),
      choose: (x, y) => {
        const target = controller.targetAt(x, y);
        latest.current.hover(target);
        if (target !== null) latest.current.choose(target);
      },
      reset: () => controller.reset(),
      menu: (x, y) => {
        const target = controller.targetAt(x, y);
        const box = element.getBoundingClientRect();
        latest.current.hover(null);
        if (target !== null) latest.current.openMenu(target, box.left + x, box.top + y);
      },
      pan: (dx, dy) => {
        latest.current.hover(null);
        controller.panBy(-dx / Math.max(1, controller.width));
        if (scroller.current !== null && dy !== 0) scroller.current.scrollTop -= dy;
      },
      zoom: (factor, x) => {
        latest.current.hover(null);
        controller.zoomBy(factor, x / Math.max(1, controller.width));
      },
      dragging: (active) => {
        element.classList.toggle(css.dragging ?? 'dragging', active);
      },
    });
  }, [controller, scroller, canvas]);
}
