/** Effects of the graph: external zooms, outlines, the hovered name, the scroll position. */
import type { RefObject } from 'react';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import type { Arranged } from '../../engine/flame/flame-model';
import type { FlameView } from '../../engine/flame/flame-view';
import { CALLERS_KEY_PREFIX } from '../../engine/flame/flame-model';
import { callersOf } from '../../engine/flame/collapsed-callers';
import { keyOfFrame } from '../../engine/flame/flame-path';
import { frameWidth } from '../../engine/flame/flame-viewport';
import type { FlameController } from './flame-controller';
import type { FlameData } from './use-flame-data';
import type { FrameCursor } from './frame-navigation';
import type { FlameWorker } from './flame-worker';
import type { Target } from './frame-description';
import { nameOfFrame } from './frame-description';

/** Passes each arrangement to the controller, with the zoom for which it was made. */
export function useArrangement(
  controller: FlameController,
  { arranged, arrangedFor }: FlameData,
  orientation: FlameView['orientation'],
): void {
  useEffect(() => {
    if (arrangedFor !== null)
      controller.setArranged(arranged, orientation, arrangedFor.zoom, arrangedFor.span);
  }, [controller, arranged, arrangedFor, orientation]);
}

/** Follows a zoom that comes from outside: a link, the browser's back button, a finding. */
export function useFollowedZoom(
  controller: FlameController,
  worker: FlameWorker | null,
  arranged: Arranged | null,
  view: FlameView,
  reveal: (frame: FrameCursor) => void,
): void {
  const { zoom, span } = view;
  const shown = arranged?.tables;
  useEffect(() => {
    const { sought } = arranged?.zoom ?? {};
    // A frame that is missing on the only drawn side cannot be brought into view.
    if (arranged === null || sought === undefined || frameWidth(arranged, 0, sought) <= 0) return;
    reveal({ table: 0, frame: sought });
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- once for each arrangement: later it may be scrolled away
  }, [shown, reveal]);
  useEffect(() => {
    if (worker === null || arranged === null || controller.shows(zoom, span)) return undefined;
    let stopped = false;
    void worker.locate(zoom).then(
      (target) => {
        if (stopped) return;
        controller.setZoom(target ?? { table: 0, frame: 0 }, zoom, target === null ? null : span);
        if (target?.sought !== undefined && frameWidth(arranged, 0, target.sought) > 0)
          reveal({ table: 0, frame: target.sought });
      },
      () => undefined,
    );
    return () => {
      stopped = true;
    };
  }, [controller, worker, arranged, zoom, span, reveal]);
}

export function useMarks(
  controller: FlameController,
  arranged: Arranged | null,
  highlighted: readonly string[],
  hovered: Target | null,
  cursor: FrameCursor | null,
): void {
  const numbers = useMemo(
    () =>
      new Set(
        arranged === null
          ? []
          : highlighted.map((name) => arranged.names.find(name)).filter((id) => id >= 0),
      ),
    [arranged, highlighted],
  );
  useEffect(() => {
    const frame = hovered?.kind === 'frame' ? { table: hovered.table, frame: hovered.frame } : null;
    controller.setMarks({ highlighted: numbers, hovered: frame, cursor });
  }, [controller, numbers, hovered, cursor]);
}

export function useHoverDescription(
  arranged: Arranged | null,
  hovered: Target | null,
  cursor: FrameCursor | null,
  onName: ((name: string | null) => void) | undefined,
): void {
  const target = hovered?.kind === 'frame' ? hovered : cursor;
  const here =
    target !== null &&
    arranged !== null &&
    target.frame > 0 &&
    target.frame < (arranged.tables[target.table]?.count ?? 0);
  // Collapsed callers are not one function.
  const one = here && callersOf(arranged.tables[target.table]!, target.frame).length === 0;
  const name = one ? nameOfFrame(arranged, target.table, target.frame) : null;
  const latest = useRef(onName);
  useEffect(() => {
    latest.current = onName;
  });
  useEffect(() => {
    latest.current?.(name);
  }, [name]);
}

/** The position of the root if the graph scrolls: callers and callees both get space. */
const ROOT_PLACE = 0.6;

function scrollTo(host: HTMLElement, top: number): void {
  host.scrollTop = top;
}

/**
 * Brings the root of a new picture into view: a flame graph grows upwards from it, a sandwich both
 * ways. If the rows of the same picture move, as under a zoom, they stay where they are on the
 * screen.
 * @param root its top; null until something is drawn.
 * @param key of the picture.
 */
export function useScrollToRoot(
  scroller: RefObject<HTMLDivElement | null>,
  root: number | null,
  key: string,
): void {
  const place = useRef({ key: '', root: 0, offset: 0, scrollTop: 0 });
  useEffect(() => {
    const host = scroller.current;
    const follow = (): void => {
      const now = place.current;
      if (host !== null && host.scrollTop !== now.scrollTop) now.offset = host.scrollTop - now.root;
    };
    host?.addEventListener('scroll', follow, { passive: true });
    return () => host?.removeEventListener('scroll', follow);
  }, [scroller]);
  // Runs before the browser reports that it scrolled because there are fewer rows.
  useLayoutEffect(() => {
    const host = scroller.current;
    const now = place.current;
    if (host === null || root === null) return;
    if (now.key !== key) now.offset = -host.clientHeight * ROOT_PLACE;
    scrollTo(host, root + now.offset);
    Object.assign(now, { key, root, scrollTop: host.scrollTop });
  }, [scroller, root, key]);
}

/** A zoom changes the number of rows within a few frames; until then, a frame is sought again. */
const SEEK_MS = 400;

/** Brings a frame that was zoomed to from outside into view, a third from the top. */
export function useSearchNavigation(
  scroller: RefObject<HTMLDivElement | null>,
  controller: FlameController,
  { sought, height }: { sought: FrameCursor | null; height: number },
  done: () => void,
): void {
  useEffect(() => {
    const host = scroller.current;
    if (sought === null || host === null) return;
    scrollTo(host, controller.reveal(sought.table, sought.frame, true) - host.clientHeight / 3);
    const timer = setTimeout(done, SEEK_MS);
    return () => clearTimeout(timer);
  }, [scroller, controller, sought, height, done]);
}

/** Frames have other numbers in another arrangement: finds the cursor by path, or removes it. */
export function usePersistentCursor(
  worker: FlameWorker | null,
  arranged: Arranged | null,
  cursor: FrameCursor | null,
  move: (cursor: FrameCursor | null) => void,
): void {
  const before = useRef<{ arranged: Arranged | null; cursor: FrameCursor | null }>({
    arranged: null,
    cursor: null,
  });
  useEffect(() => {
    const { arranged: old, cursor: kept } = before.current;
    before.current = { arranged, cursor };
    if (old === null || arranged === null || old.tables === arranged.tables || kept === null)
      return undefined;
    const frames = old.tables[kept.table];
    move(null);
    if (worker === null || frames === undefined || kept.frame >= frames.count) return undefined;
    const key = keyOfFrame(frames, old.names, kept.frame);
    let stopped = false;
    void worker.locate(kept.table === 1 ? CALLERS_KEY_PREFIX + key : key).then(
      (target) => {
        if (!stopped && target !== null) move(target);
      },
      () => undefined,
    );
    return () => {
      stopped = true;
    };
    // A moved cursor is only stored: it must not stop the search for the previous one.
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the cursor is read by the next effect run, not followed
  }, [worker, arranged, move]);
  useEffect(() => {
    before.current = { ...before.current, cursor };
  }, [cursor]);
}
