import type { ReactElement, Ref } from 'react';
import { useRef, useState } from 'react';
import { NARROW_PX, ROW_PX } from '../../engine/flame/flame-viewport';
import css from './flame.module.css';
import type { FlameGraphHandle, FlameGraphProps } from './flame-props';
import { FlameHeader } from './FlameHeader';
import { FlameMenu } from './FlameMenu';
import { FlameSurface } from './FlameSurface';
import { FlameTooltip } from './FlameTooltip';
import type { Target } from './frame-description';
import { describeFrameAloud, menuSubject } from './frame-description';
import { useCanvas } from './use-canvas';
import { countsOf, present, problemsOf } from './frame-counts';
import { useArrangement, useFollowedZoom, useMarks, useScrollToRoot } from './use-flame-effects';
import { useFlameController } from './use-flame-controller';
import { useFlameData } from './use-flame-data';
import { useFlameGestures } from './use-flame-gestures';
import { useFlameHandle } from './use-flame-handle';
import { useFlameKeys } from './use-flame-keys';
import { useFrameChoice } from './use-frame-choice';
import { useFrameCursor } from './use-frame-cursor';
import { useFrameMenu } from './use-frame-menu';
import { useCollapsedCount, useSearchTotals } from './use-search-totals';
import { useTooltipPosition } from './use-tooltip-position';

const MAX_HEIGHT_PX = 640;
const NO_NAMES: readonly string[] = [];

const defaultCategoryLabel = (id: string): string => id.replaceAll('-', ' ');

/** Returns the identity of a picture: its number of rows may change; another has other rows. */
const pictureKey = (data: string, { orientation, mode, sandwich }: FlameGraphProps['view']) =>
  [data, orientation, mode, sandwich].join(' ');

/** Insecure pages have no clipboard; the name can be selected in the table instead. */
function copyText(text: string): void {
  void (navigator.clipboard as Clipboard | undefined)?.writeText(text);
}

type ReferencedFlameGraphProps = FlameGraphProps & { ref?: Ref<FlameGraphHandle> };

/**
 * The flame graph of a diff: props in, events out (see `FlameGraphProps`). A worker computes the
 * layout, and a canvas shows it. It stores nothing that a link should restore: the whole view is a
 * prop, and every choice calls `onViewChange`.
 */
export function FlameGraph({ ref, ...props }: ReferencedFlameGraphProps): ReactElement {
  const { source, view, highlighted = NO_NAMES, categoryLabel = defaultCategoryLabel } = props;
  const [focused, setFocused] = useState(false);
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const places = { scroller, canvas };
  const data = useFlameData(source, view);
  const { arranged, worker, merge } = data;

  const { controller, drawn, latest, change } = useFlameController(props);
  const height = drawn?.height ?? ROW_PX;
  const maxHeight = props.maxHeight ?? MAX_HEIGHT_PX;
  const viewHeight = Math.min(height, maxHeight);
  const { palette, width } = useCanvas(controller, places, viewHeight);

  useArrangement(controller, data, view.orientation);
  const { hovered, cursor, setCursor, setHovered, reveal } = useFrameCursor(
    { controller, scroller, height },
    data,
    props.onFunctionHover,
  );
  useFollowedZoom(controller, data.worker, arranged, view, reveal);
  useMarks(controller, arranged, highlighted, hovered, cursor);
  useSearchTotals(arranged, view, props.onSearchTotals);
  useCollapsedCount(arranged, props.onCallersCollapsed);
  useScrollToRoot(scroller, drawn?.root ?? null, pictureKey(source.key, view));
  const { choose, trouble } = useFrameChoice(props, controller, { merge, latest, setCursor });
  const { menu, openMenu, closeMenu } = useFrameMenu(scroller);

  useFlameGestures(controller, places, { hover: setHovered, choose, openMenu });
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

  useFlameHandle(ref, { worker, controller, palette }, reveal);

  const narrow = width > 0 && width < NARROW_PX;
  const cursorTarget: Target | null =
    cursor === null ? null : { kind: 'frame', side: 0, ...cursor };
  // A frame that was zoomed to from outside (a finding, a table row) is outlined; its tooltip would
  // only cover the page.
  const shown = present(arranged, hovered ?? (focused ? cursorTarget : null));
  const tip = useTooltipPosition(controller, canvas, narrow ? null : shown, drawn);
  const counts = countsOf(arranged, drawn, source.restState);
  const problems = problemsOf(data.error, arranged, view, source.restState);

  return (
    <div className={css.graph}>
      <FlameHeader
        view={view}
        legend={props.legend ?? true}
        chips={props.chips ?? false}
        oneSide={props.oneSide}
        counts={counts}
        problems={problems}
        trouble={trouble}
        onChange={change}
      />
      <FlameSurface
        scroller={scroller}
        canvas={canvas}
        label={props.label ?? 'Diff flame graph'}
        heights={{ all: height, shown: viewHeight }}
        isOneSided={props.oneSide !== undefined}
        state={data.busy ? (arranged === null ? 'loading' : 'stale') : 'current'}
        onFocusChange={setFocused}
        onKeyDown={onKeyDown}
      />
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
      {arranged !== null && menu !== null && (
        <FlameMenu
          view={view}
          {...menuSubject(arranged, menu.target)}
          left={menu.left}
          top={menu.top}
          onClose={closeMenu}
          actions={{
            zoom: () => choose(menu.target),
            change,
            copy: copyText,
            ...ownEntries(props),
          }}
        />
      )}
    </div>
  );
}

/** Returns the menu entries that the page adds. */
const ownEntries = (props: FlameGraphProps) => ({
  listLines: props.onListLines,
  showAssembly: props.onShowAssembly,
  link: props.menuLink,
});
