/** Positions the tooltip beside its frame, once its size is known. */
import type { CSSProperties, RefObject } from 'react';
import { useLayoutEffect, useRef, useState } from 'react';
import type { Drawn, FlameController } from './flame-controller';
import { placeTooltip } from './tooltip-position';
import type { Box } from './tooltip-position';
import type { Target } from './frame-description';

const EDGE_PX = 8;

function shifted(box: Box, left: number, top: number): Box {
  return {
    left: box.left + left,
    right: box.right + left,
    top: box.top + top,
    bottom: box.bottom + top,
  };
}

/** @param drawn changes when the drawing does: then the frame may stand elsewhere. */
export function useTooltipPosition(
  controller: FlameController,
  canvas: RefObject<HTMLCanvasElement | null>,
  target: Target | null,
  drawn: Drawn | null,
): { boxRef: RefObject<HTMLDivElement | null>; style: CSSProperties } {
  const boxRef = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState<{ left: number; top: number } | null>(null);
  useLayoutEffect(() => {
    const surface = canvas.current?.getBoundingClientRect();
    const boxes = target === null ? null : controller.boxesOf(target);
    const tip = boxRef.current?.getBoundingClientRect();
    if (surface === undefined || boxes === null || tip === undefined) return;
    const window = document.documentElement;
    const bounds = {
      left: EDGE_PX,
      top: EDGE_PX,
      right: window.clientWidth - EDGE_PX,
      bottom: window.clientHeight - EDGE_PX,
    };
    const { kept, frame, downwards } = boxes;
    const at = placeTooltip(
      shifted(kept, surface.left, surface.top),
      shifted(frame, surface.left, surface.top),
      tip,
      bounds,
      downwards,
    );
    setPlace((before) => (before?.left === at.left && before.top === at.top ? before : at));
  }, [controller, canvas, target, drawn]);
  return { boxRef, style: place ?? { visibility: 'hidden', left: 0, top: 0 } };
}
