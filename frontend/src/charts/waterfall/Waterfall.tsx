/**
 * A distributed trace: a row for each span, its bar on one time axis, gaps hatched, the critical path as a line. It fetches
 * and keeps nothing: what is shown, folded and selected comes in, what is asked for goes out.
 */
import {
  useCallback,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactElement,
  type RefObject,
} from 'react';
import { roundTicks } from '../../engine/format/axis-ticks';
import { formatTicks, formatValue } from '../../engine/format/format';
import {
  WHOLE_TIMELINE,
  clampViewport,
  panViewport,
  zoomViewport,
  type TimelineViewport,
} from '../../engine/timeline/timeline-viewport';
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
import { timeScale, type TimeScale } from './waterfall-scale';
import { useViewportGestures } from './use-viewport-gestures';
import css from './waterfall.module.css';

export type WaterfallProps = {
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
  /** What a screen reader hears of the whole. */
  label: string;
};

/** Below this many rows all are drawn: find-in-page and printing then work as they should. */
const ALL_BELOW = 120;
/** As the style sheet leaves at the right. */
const RIGHT_PX = 12;
const ZOOM_STEP = 0.6;
const PAN_STEP = 0.15;
const STEPS: Record<string, TreeStep> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'out',
  ArrowRight: 'in',
  Home: 'first',
  End: 'last',
};

export function Waterfall(props: WaterfallProps): ReactElement {
  const { spans, ends, shown, folded, window: part, durationNs, selected, found } = props;
  const { onWindow, onSelect, onFold } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const axis = useRef<HTMLDivElement>(null);
  const marker = useRef<HTMLSpanElement>(null);
  const widthPx = useWidth(axis, 800);
  const id = useId();
  const scale = useMemo(() => timeScale(part, durationNs, widthPx), [part, durationNs, widthPx]);
  const count = shown.rows.length;
  const whole = count <= ALL_BELOW;
  const sight = useSight(scroller);
  const first = whole ? 0 : Math.min(sight.first, Math.max(0, count - 1));
  const last = whole ? count : Math.min(count, sight.last);
  const lines = useMemo(
    () => criticalLines(props.critical, spans, shown.places),
    [props.critical, spans, shown.places],
  );
  const toGap = useCallback(
    (_row: number, gap: WaterfallGap) => {
      onWindow(viewportAround(gap.start_ns, gap.end_ns, durationNs));
    },
    [onWindow, durationNs],
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

  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== event.currentTarget)
      return;
    const zoomed = pressed(event.key, part, durationNs, selected === null ? null : spans[selected]);
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
  const rowId = (row: number) => `${id}-${row}`;
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
        aria-activedescendant={active ? rowId(selected) : undefined}
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
          {Array.from({ length: Math.max(0, last - first) }, (_, at) => {
            const place = first + at;
            const row = shown.rows[place]!;
            const span = spans[row]!;
            return (
              <SpanRow
                key={row}
                id={rowId(row)}
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

/** A stretch of time with a little room on both sides. */
export function viewportAround(fromNs: number, toNs: number, durationNs: number): TimelineViewport {
  const room = Math.max(1, (toNs - fromNs) * 0.15);
  const all = Math.max(1, durationNs);
  return clampViewport({ from: (fromNs - room) / all, to: (toNs + room) / all }, durationNs);
}

/** What a key asks for; null for keys that are not ours. */
function pressed(
  key: string,
  part: TimelineViewport,
  durationNs: number,
  span: WaterfallSpan | null | undefined,
): TimelineViewport | null {
  switch (key) {
    case 'w':
    case '+':
    case '=':
      return zoomViewport(part, ZOOM_STEP, 0.5, durationNs);
    case 's':
    case '-':
      return zoomViewport(part, 1 / ZOOM_STEP, 0.5, durationNs);
    case 'a':
      return panViewport(part, -PAN_STEP, durationNs);
    case 'd':
      return panViewport(part, PAN_STEP, durationNs);
    case '0':
      return WHOLE_TIMELINE;
    case 'f':
      return span
        ? viewportAround(span.start_ns, span.start_ns + span.duration_ns, durationNs)
        : null;
    default:
      return null;
  }
}

/** Rows drawn beyond what is in sight, and how far a scroll goes until they are chosen anew. */
const OVERSCAN = 24;
const SCROLL_ROWS = 8;

/** Which rows are in sight of a scrolled list, with some above and below. */
function useSight(scroller: RefObject<HTMLElement | null>): { first: number; last: number } {
  const [sight, setSight] = useState({ first: 0, last: ALL_BELOW });
  useEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    const look = () => {
      const top = Math.floor(element.scrollTop / ROW_PX / SCROLL_ROWS) * SCROLL_ROWS;
      const first = Math.max(0, top - OVERSCAN);
      const height = element.clientHeight || ALL_BELOW * ROW_PX;
      const last = top + Math.ceil(height / ROW_PX) + SCROLL_ROWS + OVERSCAN;
      setSight((before) =>
        before.first === first && before.last === last ? before : { first, last },
      );
    };
    look();
    const watcher = new ResizeObserver(look);
    watcher.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      watcher.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [scroller]);
  return sight;
}

const TICK_PX = 110;

function ticksOf(scale: TimeScale): number[] {
  return roundTicks(scale.fromNs, scale.toNs, Math.max(2, Math.floor(scale.widthPx / TICK_PX)));
}

function AxisTicks({ scale }: { scale: TimeScale }): ReactElement {
  const ticks = ticksOf(scale);
  const texts = formatTicks(ticks, 'ns');
  return (
    <span aria-hidden="true">
      {ticks.map((ns, place) => {
        const at = scale.clamped(ns);
        const shift = at < 0.03 ? '0' : at > 0.94 ? '-100%' : '-50%';
        return (
          <span
            key={ns}
            className={css.tick}
            style={{ left: `${at * 100}%`, transform: `translateX(${shift})` }}
          >
            {texts[place]}
          </span>
        );
      })}
    </span>
  );
}

function GridLines({ scale }: { scale: TimeScale }): ReactElement {
  return (
    <div className={css.overlay} aria-hidden="true">
      {ticksOf(scale).map((ns) => (
        <i key={ns} className={css.gridLine} style={{ left: `${scale.clamped(ns) * 100}%` }} />
      ))}
    </div>
  );
}
