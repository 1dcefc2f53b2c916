import { useCallback, type RefObject } from 'react';
import { callersOf } from '../../engine/flame/collapsed-callers';
import { keyOfFrame } from '../../engine/flame/flame-path';
import type { FlameController } from './flame-controller';
import type { FlameData } from './use-flame-data';
import type { FlameGraphProps } from './flame-props';
import { nodeOfRest } from './frame-counts';
import { describeFrame, type Target } from './frame-description';
import type { FrameCursor } from './frame-navigation';
import { useSubtree, type Subtree } from './use-subtree';

type FrameChoiceOptions = {
  merge: FlameData['merge'];
  latest: RefObject<FlameGraphProps>;
  setCursor: (cursor: FrameCursor) => void;
};

/** Zooms to a chosen frame or rest, loads a rest that was not sent, expands collapsed callers. */
export function useFrameChoice(
  { source }: FlameGraphProps,
  controller: FlameController,
  { merge, latest, setCursor }: FrameChoiceOptions,
): { choose: (target: Target) => void; trouble: Subtree['trouble'] } {
  const { load: loadSubtree, trouble } = useSubtree(source, merge);
  const choose = useCallback(
    (target: Target) => {
      const now = controller.arranged;
      if (now === null) return;
      if (target.kind === 'rest') {
        if (target.rest.from < target.rest.to)
          controller.zoomToRest(target.side, target.table, target.rest);
        else {
          const node = nodeOfRest(now, target);
          if (node !== null) loadSubtree(node);
        }
        return;
      }
      if (callersOf(now.tables[target.table]!, target.frame).length > 0) {
        const { view, onViewChange } = latest.current;
        const key = keyOfFrame(now.tables[target.table]!, now.names, target.frame);
        const expanded = [...view.expanded.split(',').filter(Boolean), key].join(',');
        onViewChange({ ...view, expanded });
        return;
      }
      setCursor({ table: target.table, frame: target.frame });
      controller.zoomTo(target.table, target.frame);
      latest.current.onFrameChosen?.(describeFrame(now, target.table, target.frame));
    },
    [controller, loadSubtree, latest, setCursor],
  );
  return { choose, trouble };
}
