import type { ReactElement, Ref } from 'react';
import { useCallback, useEffect, useImperativeHandle, useMemo, useRef, useState } from 'react';
import type { Arranged, DrawnCounts, FlameView } from '../../engine';
import { NARROW_PX, ROW_PX } from '../../engine';
import { FlameController } from './controller';
import type { Drawn } from './controller';
import type { Cursor } from './cursor';
import { exportPng, exportSvg } from './export';
import css from './flame.module.css';
import type { FlameGraphHandle, FlameGraphProps } from './flame-props';
import { FlameHead } from './FlameHead';
import { FlameMenu } from './FlameMenu';
import { FlameTip } from './FlameTip';
import { menuEntries } from './frame-actions';
import { KEYS_DESCRIPTION } from './keys';
import type { Target } from './told';
import { nameOfFrame, sameTarget, spokenFrame, tellFrame } from './told';
import { useCanvas } from './use-canvas';
import { useFlameData } from './use-flame-data';
import { useFlameGestures } from './use-flame-gestures';
import { useFlameKeys } from './use-flame-keys';
import { useSearchTotals } from './use-search-totals';
import { useTipPlace } from './use-tip-place';

const MAX_HEIGHT_PX = 640;
const NO_NAMES: readonly string[] = [];

const inWords = (id: string): string => id.replaceAll('-', ' ');

/**
 * The flame graph of a diff: props in, events out (see `FlameGraphProps`). It lays out in a worker, draws on a canvas, and keeps
 * nothing that a link should restore: the whole view is a prop, every choice a call of `onViewChange`.
 */
export function FlameGraph(props: FlameGraphProps & { ref?: Ref<FlameGraphHandle> }): ReactElement {
  const { source, view, highlighted = NO_NAMES, categoryLabel = inWords } = props;
  const [drawn, setDrawn] = useState<Drawn | null>(null);
  const [hovered, setHovered] = useState<Target | null>(null);
  const [cursor, setCursor] = useState<Cursor | null>(null);
  const [menu, setMenu] = useState<{ target: Target; left: number; top: number } | null>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const data = useFlameData(source, view);
  const { arranged, worker, merge } = data;

  const latest = useRef({ props, since: 0, told: '' });
  useEffect(() => {
    latest.current.props = props;
  });
  const change = useCallback((part: Partial<FlameView>) => {
    const { view: now, onViewChange: tell } = latest.current.props;
    tell({ ...now, ...part });
  }, []);

  const controller = useMemo(
    () =>
      new FlameController({
        moved: change,
        drawn: (now) => {
          setDrawn((before) => (before !== null && sameDrawn(before, now) ? before : now));
        },
        painted: () => {
          const { since, told, props: now } = latest.current;
          if (told === now.source.key) return;
          latest.current.told = now.source.key;
          now.onFirstFrame?.(performance.now() - since);
        },
      }),
    [change],
  );
  useEffect(() => {
    latest.current.since = performance.now();
  }, [source.key]);

  const rows = drawn?.rows ?? 1;
  const maxHeight = props.maxHeight ?? MAX_HEIGHT_PX;
  const viewHeight = Math.min(rows * ROW_PX, maxHeight);
  const { palette, width } = useCanvas(controller, { scroller, canvas }, viewHeight);

  // An arrangement brings the zoom it was made for; later zooms of the view are followed below.
  const { arrangedFor } = data;
  useEffect(() => {
    if (arrangedFor !== null)
      controller.setArranged(arranged, view.orientation, arrangedFor.zoom, arrangedFor.span);
  }, [controller, arranged, arrangedFor, view.orientation]);
  useFollowedZoom(controller, data.worker, arranged, view);
  useMarks(controller, arranged, highlighted, hovered, cursor);
  useSearchTotals(arranged, view, props.onSearchTotals);
  useScrollToRoot(scroller, view.orientation, rows, source.key);

  const tellHover = useCallback((target: Target | null) => {
    setHovered((before) => (sameTarget(before, target) ? before : target));
  }, []);
  useHoverTold(arranged, hovered, cursor, props.onFunctionHover);

  const choose = useCallback(
    (target: Target) => {
      const now = controller.arranged;
      if (now === null) return;
      if (target.kind === 'rest') {
        if (target.rest.from < target.rest.to)
          controller.zoomToRest(target.side, target.table, target.rest);
        else loadRest(now, target, latest.current.props.source.loadSubtree, merge);
        return;
      }
      setCursor({ table: target.table, frame: target.frame });
      controller.zoomTo(target.table, target.frame);
      latest.current.props.onFrameChosen?.(tellFrame(now, target.table, target.frame));
    },
    [controller, merge],
  );
  const openMenu = useCallback((target: Target, left: number, top: number) => {
    setMenu(target.kind === 'frame' ? { target, left, top } : null);
  }, []);
  const closeMenu = useCallback(() => {
    setMenu(null);
  }, []);

  useFlameGestures(controller, { scroller, canvas }, { hover: tellHover, choose, openMenu });
  const onKeyDown = useFlameKeys(controller, scroller, {
    cursor,
    setCursor,
    hovered,
    view,
    change,
    choose,
    openMenu,
    ...(props.onListLines === undefined ? {} : { listLines: props.onListLines }),
  });

  useImperativeHandle(
    props.ref,
    (): FlameGraphHandle => {
      const zoomTo = async (path: readonly string[]): Promise<boolean> => {
        const frame = (await worker?.find(path)) ?? -1;
        if (frame < 0) return false;
        controller.zoomTo(0, frame);
        setCursor({ table: 0, frame });
        return true;
      };
      return {
        zoomToPath: zoomTo,
        zoomToFunction: (name) => zoomTo([name]),
        exportPng: () =>
          palette === null
            ? Promise.reject(new Error('Nothing is drawn yet'))
            : exportPng(controller, palette),
        exportSvg: () => (palette === null ? '' : exportSvg(controller, palette)),
      };
    },
    [worker, controller, palette],
  );

  const narrow = width > 0 && width < NARROW_PX;
  const cursorTarget: Target | null =
    cursor === null ? null : { kind: 'frame', side: 0, ...cursor };
  const shown = present(arranged, hovered ?? cursorTarget);
  const tip = useTipPlace(controller, canvas, narrow ? null : shown, drawn);
  const counts = countsOf(arranged, drawn, source.restState);
  const problems = problemsOf(data.error, arranged, view, source.restState);
  const menuFrame = menu?.target.kind === 'frame' ? menu.target : null;

  return (
    <div className={css.graph} data-busy={data.busy}>
      <FlameHead
        view={view}
        legend={props.legend ?? true}
        counts={counts}
        problems={problems}
        onChange={change}
      />
      <div
        ref={scroller}
        className={css.scroller}
        style={{ height: viewHeight }}
        role="application"
        aria-roledescription="flame graph"
        aria-label={props.label ?? 'Diff flame graph'}
        aria-description={KEYS_DESCRIPTION}
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        <div style={{ height: rows * ROW_PX }}>
          <canvas
            ref={canvas}
            className={
              data.busy && arranged !== null ? `${css.canvas ?? ''} ${css.stale ?? ''}` : css.canvas
            }
            style={{ height: viewHeight }}
          />
        </div>
      </div>
      <div className={css.spoken} aria-live="polite">
        {arranged !== null && cursor !== null && present(arranged, cursorTarget) !== null
          ? spokenFrame(arranged, cursor.table, cursor.frame, categoryLabel)
          : ''}
      </div>
      {arranged !== null && shown !== null && (
        <FlameTip
          arranged={arranged}
          target={shown}
          categoryLabel={categoryLabel}
          floating={!narrow}
          {...(narrow ? {} : tip)}
        />
      )}
      {arranged !== null && menu !== null && menuFrame !== null && (
        <FlameMenu
          name={nameOfFrame(arranged, menuFrame.table, menuFrame.frame)}
          left={menu.left}
          top={menu.top}
          onClose={closeMenu}
          entries={menuEntries(
            view,
            nameOfFrame(arranged, menuFrame.table, menuFrame.frame),
            menuFrame.frame === 0,
            {
              zoom: () => {
                choose(menuFrame);
              },
              change,
              copy: (name) => {
                void navigator.clipboard.writeText(name);
              },
              listLines: props.onListLines,
            },
          )}
        />
      )}
    </div>
  );
}

function sameDrawn(one: Drawn, other: Drawn): boolean {
  return (
    one.drawn === other.drawn &&
    one.narrow === other.narrow &&
    one.whole === other.whole &&
    one.rows === other.rows
  );
}

/** A target of an earlier arrangement may not exist in this one. */
function present(arranged: Arranged | null, target: Target | null): Target | null {
  if (arranged === null || target === null) return null;
  const frames = arranged.tables[target.table];
  if (frames === undefined || target.side >= arranged.sides.length) return null;
  const last =
    target.kind === 'frame' ? target.frame : Math.max(target.rest.parent, target.rest.to - 1);
  return last < frames.count ? target : null;
}

function countsOf(
  arranged: Arranged | null,
  drawn: Drawn | null,
  restState: DrawnCounts['restState'],
): DrawnCounts | null {
  if (arranged === null || drawn === null) return null;
  const { nodesSent, nodesTotal, unasked } = arranged;
  return { ...drawn, nodesSent, nodesTotal, restState, unasked: unasked.nodes };
}

function problemsOf(
  error: string | null,
  arranged: Arranged | null,
  view: FlameView,
  restState: DrawnCounts['restState'],
): string[] {
  const problems = (arranged?.problems ?? []).map(({ field, message }) => `${field}: ${message}`);
  const lost = arranged?.zoomLost === true && view.zoom !== '' && restState !== 'loading';
  if (lost)
    problems.push(
      'The frame that this link zooms to is not among the frames; everything is shown.',
    );
  return error === null ? problems : [error, ...problems];
}

function loadRest(
  arranged: Arranged,
  target: Target,
  load: ((nodeId: number) => Promise<ArrayBuffer>) | undefined,
  merge: (buffer: ArrayBuffer) => Promise<void>,
): void {
  if (target.kind !== 'rest' || load === undefined) return;
  const node = arranged.tables[target.table]?.source[target.rest.parent];
  if (node === undefined || node === 0xffffffff) return;
  void load(node).then(merge);
}

/** Follows a zoom that comes from outside: a link, the browser's back button, a finding. */
function useFollowedZoom(
  controller: FlameController,
  worker: ReturnType<typeof useFlameData>['worker'],
  arranged: Arranged | null,
  view: FlameView,
): void {
  const { zoom, span } = view;
  useEffect(() => {
    if (worker === null || arranged === null || controller.shows(zoom, span)) return undefined;
    let stopped = false;
    void worker.locate(zoom).then(
      (target) => {
        if (!stopped)
          controller.setZoom(target ?? { table: 0, frame: 0 }, zoom, target === null ? null : span);
      },
      () => undefined,
    );
    return () => {
      stopped = true;
    };
  }, [controller, worker, arranged, zoom, span]);
}

function useMarks(
  controller: FlameController,
  arranged: Arranged | null,
  highlighted: readonly string[],
  hovered: Target | null,
  cursor: Cursor | null,
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

function useHoverTold(
  arranged: Arranged | null,
  hovered: Target | null,
  cursor: Cursor | null,
  tell: ((name: string | null) => void) | undefined,
): void {
  const target = hovered?.kind === 'frame' ? hovered : cursor;
  const here =
    target !== null &&
    arranged !== null &&
    target.frame > 0 &&
    target.frame < (arranged.tables[target.table]?.count ?? 0);
  const name = here ? nameOfFrame(arranged, target.table, target.frame) : null;
  const telling = useRef(tell);
  useEffect(() => {
    telling.current = tell;
  });
  useEffect(() => {
    telling.current?.(name);
  }, [name]);
}

/** A flame grows upwards from its root: the root must be in sight at first. */
function useScrollToRoot(
  scroller: React.RefObject<HTMLDivElement | null>,
  orientation: FlameView['orientation'],
  rows: number,
  key: string,
): void {
  useEffect(() => {
    const host = scroller.current;
    if (host !== null) host.scrollTop = orientation === 'flame' ? host.scrollHeight : 0;
  }, [scroller, orientation, rows, key]);
}
