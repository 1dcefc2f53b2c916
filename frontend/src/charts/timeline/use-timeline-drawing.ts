import { useCallback, useEffect, useRef, type RefObject } from 'react';
import type { SegmentPosition } from '../../engine/timeline/timeline-layout';
import { TimelinePainter, type Drawing } from './timeline-painter';

export type HoveredSegment = { place: SegmentPosition; x: number; y: number };

/** Returns the processor whose row a segment is in. */
export function procOf({ tile, at }: SegmentPosition): number {
  let row = 0;
  while (row + 1 < tile.procs.length && tile.procStart[row + 1]! <= at) row++;
  return tile.procs[row] ?? 0;
}

function resize(canvas: HTMLCanvasElement, width: number, height: number): void {
  canvas.width = width;
  canvas.height = height;
}

type DrawnTimeline = Omit<Drawing, 'tokens' | 'hovered'> & {
  /** Null until the colors of the page are read. */
  tokens: Drawing['tokens'] | null;
  hovered: HoveredSegment | null;
};

/** Draws the timeline on its canvas, in the next frame after every change. */
export function useTimelineDrawing(
  canvas: RefObject<HTMLCanvasElement | null>,
  timeline: DrawnTimeline,
  width: number,
): void {
  const { tiles, rows, scale, paints, tokens, bracket, start, end, hovered } = timeline;
  const painter = useRef<{ painter: TimelinePainter; ratio: number } | null>(null);
  const draw = useCallback(() => {
    const element = canvas.current;
    if (!element || !tokens) return;
    const ratio = Math.max(1, Math.min(3, window.devicePixelRatio || 1));
    resize(element, Math.round(width * ratio), Math.round(rows.heightPx * ratio));
    if (painter.current?.ratio !== ratio) {
      const context = element.getContext('2d');
      painter.current = context ? { painter: new TimelinePainter(context, ratio), ratio } : null;
    }
    const drawing: Drawing = {
      tiles,
      rows,
      scale,
      paints,
      tokens,
      bracket,
      start,
      end,
      hovered: hovered && {
        proc: procOf(hovered.place),
        from: hovered.place.tile.from[hovered.place.at]!,
        to: hovered.place.tile.to[hovered.place.at]!,
      },
    };
    painter.current?.painter.draw(drawing, width);
  }, [canvas, tiles, rows, scale, paints, tokens, bracket, start, end, hovered, width]);

  useEffect(() => {
    const frame = requestAnimationFrame(draw);
    return () => cancelAnimationFrame(frame);
  }, [draw]);
}
