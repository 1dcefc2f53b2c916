/** Connects a controller to its canvas, size, colors and scroll position, and disconnects it. */
import type { RefObject } from 'react';
import { useEffect, useState } from 'react';
import type { FlameController } from './flame-controller';
import { LABEL_FONT_PX } from './flame-painter';
import type { Palette } from './flame-palette';
import { onSchemeChange, readPalette } from './flame-palette';

type Surfaces = {
  scroller: RefObject<HTMLDivElement | null>;
  canvas: RefObject<HTMLCanvasElement | null>;
};

/** @returns the current colors (null until they are read), and the available width. */
export function useCanvas(
  controller: FlameController,
  { scroller, canvas }: Surfaces,
  viewHeight: number,
): { palette: Palette | null; width: number } {
  const [palette, setPalette] = useState<Palette | null>(null);
  const [width, setWidth] = useState(0);

  useEffect(() => {
    controller.attach(canvas.current);
    return () => {
      controller.stop();
      controller.attach(null);
    };
  }, [controller, canvas]);

  useEffect(() => {
    const host = scroller.current;
    if (host === null) return undefined;
    const read = (): void => {
      const now = readPalette(host);
      setPalette((before) => (JSON.stringify(before) === JSON.stringify(now) ? before : now));
      controller.setPalette(now);
    };
    read();
    let stopped = false;
    const { fontCode } = readPalette(host);
    // The first drawing may precede the font, so it is drawn again with it.
    if ('fonts' in document) {
      void document.fonts.load(`${LABEL_FONT_PX}px ${fontCode}`).then(() => {
        if (!stopped) read();
      });
    }
    const stop = onSchemeChange(read);
    return () => {
      stopped = true;
      stop();
    };
  }, [controller, scroller]);

  useEffect(() => {
    const host = scroller.current;
    if (host === null) return undefined;
    const measure = (): void => setWidth(host.clientWidth);
    measure();
    if (typeof ResizeObserver === 'undefined') return undefined;
    const observer = new ResizeObserver(measure);
    observer.observe(host);
    return () => observer.disconnect();
  }, [scroller]);

  useEffect(() => controller.setSize(width, viewHeight), [controller, width, viewHeight]);

  useEffect(() => {
    const host = scroller.current;
    if (host === null) return undefined;
    const follow = (): void => controller.setScroll(host.scrollTop);
    host.addEventListener('scroll', follow, { passive: true });
    return () => host.removeEventListener('scroll', follow);
  }, [controller, scroller]);

  return { palette, width };
}
