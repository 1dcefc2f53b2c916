import type { ReactElement, Ref } from 'react';
import { useCallback, useEffect, useImperativeHandle, useRef, useState } from 'react';
import type { FlameView } from '../../engine/flame/flame-view';
import { NARROW_PX, ROW_PX } from '../../engine/flame/flame-viewport';
import { FlameController } from './flame-controller';
import type { Drawn } from './flame-controller';
import type { FrameCursor } from './frame-navigation';
import { exportPng, exportSvg } from './flame-export';
import css from './flame.module.css';
import type { FlameGraphHandle, FlameGraphProps } from './flame-props';
import { FlameHeader } from './FlameHeader';
import { FlameMenu } from './FlameMenu';
import { FlameTooltip } from './FlameTooltip';
import { KEYS_DESCRIPTION } from './flame-keys';
import type { Target } from './frame-description';
import { nameOfFrame, sameTarget, describeFrameAloud, describeFrame } from './frame-description';
import { useCanvas } from './use-canvas';
import { countsOf, nodeOfRest, present, problemsOf, sameDrawn } from './frame-counts';
import {
  useFollowedZoom,
  useHoverDescription,
  usePersistentCursor,
  useMarks,
  useScrollToRoot,
  useSearchNavigation,
} from './use-flame-effects';
import { useFlameData } from './use-flame-data';
import { useFlameGestures } from './use-flame-gestures';
import { useFlameKeys } from './use-flame-keys';
import { useSearchTotals } from './use-search-totals';
import { useSubtree } from './use-subtree';
import { useTooltipPosition } from './use-tooltip-position';

const MAX_HEIGHT_PX = 640;
const NO_NAMES: readonly string[] = [];

const defaultCategoryLabel = (id: string): string => id.replaceAll('-', ' ');

/** Insecure pages have no clipboard; the name can then be selected in the table. */
function copyText(text: string): void {
  void (navigator.clipboard as Clipboard | undefined)?.writeText(text);
}

/**
 * The flame graph of a diff: props in, events out (see `FlameGraphProps`). It lays out in a worker, draws on a canvas, and keeps
 * nothing that a link should restore: the whole view is a prop, every choice a call of `onViewChange`.
 */
export function FlameGraph({
  ref,
  ...props
}: FlameGraphProps & { ref?: Ref<FlameGraphHandle> }): ReactElement {
  const { source, view, highlighted = NO_NAMES, categoryLabel = defaultCategoryLabel } = props;
  const [drawn, setDrawn] = useState<Drawn | null>(null);
  const [hovered, setHovered] = useState<Target | null>(null);
  const [cursor, setCursor] = useState<FrameCursor | null>(null);
  const [focused, setFocused] = useState(false);
  const [sought, setSought] = useState<FrameCursor | null>(null);
  const [menu, setMenu] = useState<{ target: Target; left: number; top: number } | null>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const data = useFlameData(source, view);
  const { arranged, worker, merge } = data;

  const latest = useRef<FlameGraphProps>(props);
  useEffect(() => {
    latest.current = props;
  });
  const change = useCallback((part: Partial<FlameView>) => {
    const { view: now, onViewChange } = latest.current;
    onViewChange({ ...now, ...part });
  }, []);

  const [controller] = useState(() => new FlameController());
  useEffect(() => {
    const since = performance.now();
    let first = true;
    controller.listen({
      moved: change,
      drawn: (now) => {
        setDrawn((before) => (before !== null && sameDrawn(before, now) ? before : now));
      },
      painted: () => {
        if (first && controller.arranged !== null)
          latest.current.onFirstFrame?.(performance.now() - since);
        first = false;
      },
    });
  }, [controller, change, source.key]);

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
  usePersistentCursor(worker, arranged, cursor, setCursor);
  useMarks(controller, arranged, highlighted, hovered, cursor);
  useSearchTotals(arranged, view, props.onSearchTotals);
  useScrollToRoot(scroller, { rows, root: drawn?.root ?? 0 }, source.key);
  const found = useCallback(() => {
    setSought(null);
  }, []);
  useSearchNavigation(scroller, controller, { sought, rows }, found);

  const tellHover = useCallback((target: Target | null) => {
    setHovered((before) => (sameTarget(before, target) ? before : target));
  }, []);
  useHoverDescription(arranged, hovered, cursor, props.onFunctionHover);

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
      setCursor({ table: target.table, frame: target.frame });
      controller.zoomTo(target.table, target.frame);
      latest.current.onFrameChosen?.(describeFrame(now, target.table, target.frame));
    },
    [controller, loadSubtree],
  );
  const openMenu = useCallback((target: Target, left: number, top: number) => {
    setMenu(target.kind === 'frame' ? { target, left, top } : null);
  }, []);
  const closeMenu = useCallback(() => {
    setMenu(null);
    scroller.current?.focus({ preventScroll: true });
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

  useImperativeHandle(ref, (): FlameGraphHandle => {
    const zoomTo = async (path: readonly string[]): Promise<boolean> => {
      const frame = (await worker?.find(path)) ?? -1;
      if (frame < 0) return false;
      controller.zoomTo(0, frame);
      setCursor({ table: 0, frame });
      setSought({ table: 0, frame });
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

  const narrow = width > 0 && width < NARROW_PX;
  const cursorTarget: Target | null =
    cursor === null ? null : { kind: 'frame', side: 0, ...cursor };
  // A frame that was zoomed to from outside (a finding, a table row) is outlined; its tip would only cover the page.
  const shown = present(arranged, hovered ?? (focused ? cursorTarget : null));
  const tip = useTooltipPosition(controller, canvas, narrow ? null : shown, drawn);
  const counts = countsOf(arranged, drawn, source.restState);
  const problems = problemsOf(data.error, arranged, view, source.restState);
  const menuFrame = menu?.target.kind === 'frame' ? menu.target : null;

  return (
    <div className={css.graph}>
      <FlameHeader
        view={view}
        legend={props.legend ?? true}
        chips={props.chips ?? false}
        counts={counts}
        problems={problems}
        trouble={trouble}
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
        aria-busy={data.busy}
        tabIndex={0}
        onFocus={() => {
          setFocused(true);
        }}
        onBlur={() => {
          setFocused(false);
        }}
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
          ? describeFrameAloud(arranged, cursor.table, cursor.frame, categoryLabel)
          : ''}
      </div>
      {arranged !== null && shown !== null && (
        <FlameTooltip
          arranged={arranged}
          target={shown}
          categoryLabel={categoryLabel}
          floating={!narrow}
          {...(narrow ? {} : tip)}
        />
      )}
      {arranged !== null && menu !== null && menuFrame !== null && (
        <FlameMenu
          view={view}
          name={nameOfFrame(arranged, menuFrame.table, menuFrame.frame)}
          isRoot={menuFrame.frame === 0}
          left={menu.left}
          top={menu.top}
          onClose={closeMenu}
          actions={{
            zoom: () => {
              choose(menuFrame);
            },
            change,
            copy: copyText,
            listLines: props.onListLines,
          }}
        />
      )}
    </div>
  );
}
