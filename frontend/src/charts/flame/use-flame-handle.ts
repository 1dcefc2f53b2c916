import { useEffect, useImperativeHandle, useRef, type Ref } from 'react';
import type { FlameController } from './flame-controller';
import { exportPng, exportSvg } from './flame-export';
import type { Palette } from './flame-palette';
import type { FlameGraphHandle } from './flame-props';
import type { FlameWorker } from './flame-worker';
import type { FrameCursor } from './frame-navigation';

type DrawnGraph = {
  worker: FlameWorker | null;
  controller: FlameController;
  palette: Palette | null;
};

/** Provides what a page can call on a graph: zoom to a path or a function, and export. */
export function useFlameHandle(
  ref: Ref<FlameGraphHandle> | undefined,
  { worker, controller, palette }: DrawnGraph,
  onFound: (frame: FrameCursor) => void,
): void {
  const latest = useRef(onFound);
  useEffect(() => {
    latest.current = onFound;
  });
  useImperativeHandle(ref, (): FlameGraphHandle => {
    const zoomTo = async (path: readonly string[]): Promise<boolean> => {
      const frame = (await worker?.find(path)) ?? -1;
      if (frame < 0) return false;
      controller.zoomTo(0, frame);
      latest.current({ table: 0, frame });
      return true;
    };
    return {
      zoomToPath: zoomTo,
      zoomToFunction: (name) => zoomTo([name]),
      exportPng: () =>
        palette === null
          ? Promise.reject(new Error('The flame graph is empty'))
          : exportPng(controller, palette),
      exportSvg: () => (palette === null ? '' : exportSvg(controller, palette)),
    };
  }, [worker, controller, palette]);
}
