/** Provides a worker with the data of a source, and returns the arrangement of a view. */
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Arranged } from '../../engine/flame/flame-model';
import type { FlameView } from '../../engine/flame/flame-view';
import { FlameWorker } from './flame-worker';
import type { FlameSource } from './flame-props';

export type FlameData = {
  worker: FlameWorker | null;
  /** Null until the first answer; later the last one, also while the next one is computed. */
  arranged: Arranged | null;
  /** The view that `arranged` was made for. */
  arrangedFor: FlameView | null;
  busy: boolean;
  /** Why the data cannot be drawn at all. */
  error: string | null;
  /** Merges a part that a user requested. */
  merge: (buffer: ArrayBuffer) => Promise<void>;
};

/** Returns a key of the fields of a view that change frames or positions. */
function arrangeKey(view: FlameView): string {
  const { mode, basis, ignore, focus, hide, sandwich, category } = view;
  const { collapseRecursion, collapseCallers, expanded } = view;
  const collapse = [collapseRecursion, collapseCallers, expanded];
  return JSON.stringify([mode, basis, ignore, focus, hide, collapse, sandwich, category]);
}

type Answered = { key: string; arranged: Arranged; view: FlameView };

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** Creates a worker per source and passes each part once. `parts` counts those that arrived. */
function useFedWorker(source: FlameSource, failed: (key: string, message: string) => void) {
  const [fed, setFed] = useState<{ key: string; worker: FlameWorker; parts: number } | null>(null);
  const failing = useRef(failed);
  useEffect(() => {
    failing.current = failed;
  });
  const { key, first } = source;

  useEffect(() => {
    const worker = new FlameWorker();
    let stopped = false;
    worker.open(first).then(
      () => {
        if (!stopped) setFed({ key, worker, parts: 1 });
      },
      (cause: unknown) => {
        if (!stopped) failing.current(key, messageOf(cause));
      },
    );
    return () => {
      stopped = true;
      worker.stop();
    };
  }, [key, first]);

  const worker = fed?.key === key ? fed.worker : null;
  const merge = useMemo(
    () => async (buffer: ArrayBuffer) => {
      if (worker === null) return;
      await worker.merge(buffer);
      setFed((now) => (now?.worker === worker ? { ...now, parts: now.parts + 1 } : now));
    },
    [worker],
  );
  return { worker, parts: fed?.key === key ? fed.parts : 0, merge };
}

/** Passes the rest on. The first arrangement is requested before it, to draw the largest frames. */
function useRest(
  { key, rest }: FlameSource,
  worker: FlameWorker | null,
  merge: (buffer: ArrayBuffer) => Promise<void>,
  failed: (key: string, message: string) => void,
): void {
  const failing = useRef(failed);
  useEffect(() => {
    failing.current = failed;
  });
  useEffect(() => {
    if (worker === null || rest === null) return undefined;
    let stopped = false;
    merge(rest).catch((cause: unknown) => {
      if (!stopped) failing.current(key, messageOf(cause));
    });
    return () => {
      stopped = true;
    };
  }, [key, worker, rest, merge]);
}

export function useFlameData(source: FlameSource, view: FlameView): FlameData {
  const [answered, setAnswered] = useState<Answered | null>(null);
  const [failure, setFailure] = useState<{ key: string; message: string } | null>(null);
  const { worker, parts, merge } = useFedWorker(source, (key, message) =>
    setFailure({ key, message }),
  );
  const wanted = useRef(view);
  useEffect(() => {
    wanted.current = view;
  });

  const { key } = source;
  const layoutKey = arrangeKey(view);
  const [settled, setSettled] = useState('');
  const round = `${key} ${parts} ${layoutKey}`;
  useEffect(() => {
    if (worker === null) return undefined;
    let stopped = false;
    const asked = wanted.current;
    worker.arrange(asked).then(
      (arranged) => {
        if (stopped || arranged === null) return;
        setAnswered({ key, arranged, view: asked });
        setSettled(round);
        setFailure(null);
      },
      (cause: unknown) => {
        if (stopped) return;
        setFailure({ key, message: messageOf(cause) });
        setSettled(round);
      },
    );
    return () => {
      stopped = true;
    };
  }, [worker, key, round]);

  useRest(source, worker, merge, (failedKey, message) => setFailure({ key: failedKey, message }));

  const { pattern, regex, caseSensitive } = view.search;
  useSearch(worker, answered, { pattern, regex, caseSensitive }, setAnswered, (message) =>
    setFailure({ key, message }),
  );

  const current = answered?.key === key ? answered : null;
  return {
    worker,
    arranged: current?.arranged ?? null,
    arrangedFor: current?.view ?? null,
    busy: settled !== round && (worker !== null || failure?.key !== key),
    error: failure?.key === key ? failure.message : null,
    merge,
  };
}

/** Another pattern needs no other frames: only its hits are added to the current arrangement. */
function useSearch(
  worker: FlameWorker | null,
  answered: Answered | null,
  search: FlameView['search'],
  setAnswered: (change: (now: Answered | null) => Answered | null) => void,
  failed: (message: string) => void,
): void {
  const { pattern, regex, caseSensitive } = search;
  const failing = useRef(failed);
  useEffect(() => {
    failing.current = failed;
  });
  const same =
    answered === null ||
    (answered.view.search.pattern === pattern &&
      answered.view.search.regex === regex &&
      answered.view.search.caseSensitive === caseSensitive);
  useEffect(() => {
    if (worker === null || same) return undefined;
    let stopped = false;
    const asked = { pattern, regex, caseSensitive };
    worker.search(asked).then(
      ({ hits, problems }) => {
        if (stopped) return;
        setAnswered((now) => {
          if (now === null) return now;
          const others = now.arranged.problems.filter(({ field }) => field !== 'search');
          return {
            ...now,
            view: { ...now.view, search: asked },
            arranged: { ...now.arranged, hits, problems: [...others, ...problems] },
          };
        });
      },
      (cause: unknown) => {
        if (!stopped) failing.current(messageOf(cause));
      },
    );
    return () => {
      stopped = true;
    };
  }, [worker, same, pattern, regex, caseSensitive, setAnswered]);
}
