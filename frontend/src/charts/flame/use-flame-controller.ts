import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';
import type { FlameView } from '../../engine/flame/flame-view';
import { FlameController, type Drawn } from './flame-controller';
import type { FlameGraphProps } from './flame-props';
import { sameDrawn } from './frame-counts';

type ControlledFlame = {
  controller: FlameController;
  /** What the canvas shows; null before the first frame. */
  drawn: Drawn | null;
  /** The latest props, for listeners that are added once. */
  latest: RefObject<FlameGraphProps>;
  change: (part: Partial<FlameView>, replace?: boolean) => void;
};

/** Creates the controller of a graph, and passes on its movements and drawings. */
export function useFlameController(props: FlameGraphProps): ControlledFlame {
  const [drawn, setDrawn] = useState<Drawn | null>(null);
  const latest = useRef<FlameGraphProps>(props);
  useEffect(() => {
    latest.current = props;
  });
  const change = useCallback((part: Partial<FlameView>, replace = false) => {
    const { view: now, onViewChange } = latest.current;
    onViewChange({ ...now, ...part }, replace);
  }, []);

  const [controller] = useState(() => new FlameController());
  useEffect(() => {
    const since = performance.now();
    let first = true;
    controller.listen({
      moved: change,
      drawn: (now) =>
        setDrawn((before) => (before !== null && sameDrawn(before, now) ? before : now)),
      painted: () => {
        if (first && controller.arranged !== null)
          latest.current.onFirstFrame?.(performance.now() - since);
        first = false;
      },
    });
  }, [controller, change, props.source.key]);
  return { controller, drawn, latest, change };
}
