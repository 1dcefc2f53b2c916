/** Loads frames that were not sent when they are opened; a failure is shown and can be retried. */
import { useCallback, useEffect, useRef, useState } from 'react';
import type { FlameSource } from './flame-props';

export type Subtree = {
  load: (nodeId: number) => void;
  /** What could not be loaded, and a function that tries again; null without an error. */
  trouble: { message: string; again: () => void } | null;
};

export function useSubtree(
  source: FlameSource,
  merge: (buffer: ArrayBuffer) => Promise<void>,
): Subtree {
  const [failed, setFailed] = useState<{ key: string; node: number; why: string } | null>(null);
  const latest = useRef({ source, merge });
  useEffect(() => {
    latest.current = { source, merge };
  });
  const load = useCallback((node: number) => {
    const { source: asked, merge: join } = latest.current;
    if (asked.loadSubtree === undefined) return;
    setFailed(null);
    asked
      .loadSubtree(node)
      .then(join)
      .catch((cause: unknown) => {
        const why = cause instanceof Error ? cause.message : String(cause);
        if (latest.current.source.key === asked.key) setFailed({ key: asked.key, node, why });
      });
  }, []);
  if (failed?.key !== source.key) return { load, trouble: null };
  const again = (): void => load(failed.node);
  return {
    load,
    trouble: { message: `Could not load these frames: ${failed.why}`, again },
  };
}
