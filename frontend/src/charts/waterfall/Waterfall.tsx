/**
 * A distributed trace: a row for each span, its bar on one time axis, hatched gaps, and the
 * critical path as a line. It fetches nothing and stores nothing: props contain what is shown,
 * folded and selected, and callbacks report changes.
 */
import {
  useCallback,
  useEffect,
  useId,
  useMemo,
  useRef,
  type KeyboardEvent,
  type ReactElement,
} from 'react';
import { formatValue } from '../../engine/format/format';
import type { TimelineViewport } from '../../engine/timeline/timeline-viewport';
import {
  criticalLines,
  treeMove,
  type CriticalPiece,
  type ShownRows,
  type TreeStep,
  type WaterfallGap,
  type WaterfallSpan,
} from '../../engine/spans/waterfall-layout';
import { useWidth } from '../plot/color-tokens';
import { CriticalPathLine } from './CriticalPathLine';
import { Minimap } from './Minimap';
import { ROW_PX, SpanRow } from './SpanRow';
import { AxisTicks, GridLines } from './WaterfallAxis';
import { useVisibleRows } from './use-visible-rows';
import { viewportAround, viewportOfKey } from './waterfall-keys';
import { timeScale, type TimeScale } from './waterfall-scale';
import { useViewportGestures } from './use-viewport-gestures';
import css from './waterfall.module.css';

type WaterfallProps = {
  spans: readonly WaterfallSpan[];
  ends: Int32Array;
  shown: ShownRows;
  folded: ReadonlySet<number>;
  /** Pieces of the critical path; empty draws none. */
  critical: readonly CriticalPiece[];
  durationNs: number;
  window: TimelineViewport;
  onWindow: (window: TimelineViewport) => void;
  selected: number | null;
  onSelect: (row: number | null) => void;
  onFold: (row: number, fold: boolean) => void;
  found: ReadonlySet<number>;
  /** The text for screen readers. */
  label: string;
};

/** The space that the style sheet leaves at the right. */
const RIGHT_PX = 12;
const STEPS: Record<string, TreeStep> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'out',
  ArrowRight: 'in',
  Home: 'first',
  End: 'last',
};

/** Returns a key handler for the grid: it moves, folds and selects rows, and zooms the axis. */
function waterfallKeyHandler(props: WaterfallProps): (event: KeyboardEvent) => void {
  const { spans, ends, shown, folded, window: part, durationNs, selected } = props;
  const { onWindow, onSelect, onFold } = props;
  const count = shown.rows.length;
  return (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== event.currentTarget)
      return;
    const span = selected === null ? null : spans[selected];
    const zoomed = viewportOfKey(event.key, part, durationNs, span);
    const step = STEPS[event.key];
    if (zoomed) onWindow(zoomed);
    else if (step !== undefined && count > 0) {
      const move =
        selected === null
          ? { row: shown.rows[step === 'last' ? count - 1 : 0]! }
          : treeMove(step, selected, { spans, ends, shown, folded });
      if (move.fold !== undefined) onFold(move.row, move.fold);
      else onSelect(move.row);
    } else if (event.key === 'Enter' && selected !== null && ends[selected]! > selected + 1) {
      onFold(selected, !folded.has(selected));
    } else if (event.key === 'Escape' && selected !== null) onSelect(null);
    else return;
    event.preventDefault();
  };
}

const rowIdOf = (id: string, row: number): string => `${id}-${row}`;

type WaterfallRowsProps = WaterfallProps & {
  id: string;
  scale: TimeScale;
  first: number;
  last: number;
};

/** The rows from `first` up to `last`. */
function WaterfallRows({ id, scale, first, last, ...props }: WaterfallRowsProps): ReactElement {
  const { spans, ends, shown, folded, durationNs, selected, found } = props;
  const { onWindow, onSelect, onFold } = props;
  const toGap = useCallback(
    (_row: number, gap: WaterfallGap) =>
      onWindow(viewportAround(gap.start_ns, gap.end_ns, durationNs)),
    [onWindow, durationNs],
  );
  return (
    <>
      {Array.from({ length: Math.max(0, last - first) }, (_, at) => {
        const place = first + at;
        const row = shown.rows[place]!;
        const span = spans[row]!;
        return (
          <SpanRow
            key={row}
            id={rowIdOf(id, row)}
            span={span}
            row={row}
            place={place}
            top={place * ROW_PX}
            scale={scale}
            parentService={span.parent === null ? null : (spans[span.parent]?.service ?? null)}
            below={ends[row]! - row - 1}
            folded={folded.has(row)}
            selected={row === selected}
            found={found.has(row)}
            onSelect={onSelect}
            onFold={onFold}
            onGap={toGap}
          />
        );
      })}
    </>
  );
}

export function Waterfall(props: WaterfallProps): ReactElement {
  const { spans, shown, window: part, durationNs, selected, onWindow } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const axis = useRef<HTMLDivElement>(null);
  const marker = useRef<HTMLSpanElement>(null);
  const widthPx = useWidth(axis, 800);
  const id = useId();
  const scale = useMemo(() => timeScale(part, durationNs, widthPx), [part, durationNs, widthPx]);
  const count = shown.rows.length;
  const { first, last } = useVisibleRows(scroller, count);
  const lines = useMemo(
    () => criticalLines(props.critical, spans, shown.places),
    [props.critical, spans, shown.places],
  );
  const selectedPlace = selected === null ? null : (shown.places[selected] ?? null);
  useEffect(() => {
    if (selectedPlace !== null) marker.current?.scrollIntoView({ block: 'nearest' });
  }, [selectedPlace]);
  useViewportGestures(body, {
    window: part,
    onWindow,
    spanNs: durationNs,
    widthPx,
    rightPx: RIGHT_PX,
  });

  const press = waterfallKeyHandler(props);
  const active = selected !== null && isDrawn(shown, selected, first, last);
  return (
    <div className={css.waterfall}>
      <div className={css.top}>
        <div />
        <Minimap spans={spans} durationNs={durationNs} window={part} onWindow={onWindow} />
      </div>
      <div
        ref={scroller}
        className={css.scroller}
        role="treegrid"
        aria-label={props.label}
        aria-rowcount={count + 1}
        aria-activedescendant={active ? rowIdOf(id, selected) : undefined}
        aria-keyshortcuts="w s a d 0 f"
        tabIndex={0}
        onKeyDown={press}
      >
        <div role="row" className={css.head} aria-rowindex={1}>
          <div role="columnheader" className={css.headName}>
            service and operation
          </div>
          <div role="columnheader" ref={axis} className={css.axis}>
            <span className="unseen">time since trace start</span>
            <AxisTicks scale={scale} />
          </div>
        </div>
        <div ref={body} role="rowgroup" className={css.body} style={{ height: count * ROW_PX }}>
          <GridLines scale={scale} />
          <span
            ref={marker}
            className={css.marker}
            style={{ top: (selectedPlace ?? 0) * ROW_PX, height: ROW_PX }}
            aria-hidden="true"
          />
          <WaterfallRows {...props} id={id} scale={scale} first={first} last={last} />
          <div className={css.overlay} aria-hidden="true">
            <CriticalPathLine lines={lines} scale={scale} first={first} last={last} />
          </div>
        </div>
      </div>
      <p className="unseen" aria-live="polite">
        {part.from === 0 && part.to === 1
          ? ''
          : `Showing ${formatValue(scale.toNs - scale.fromNs, 'ns')} from ${formatValue(scale.fromNs, 'ns')} after trace start`}
      </p>
    </div>
  );
}

const isDrawn = (shown: ShownRows, row: number, first: number, last: number): boolean => {
  const place = shown.places[row];
  return place !== undefined && shown.rows[place] === row && place >= first && place < last;
};
