/**
 * The processors around one wait, on a canvas: a row for each, what ran on it as segments, the wait as a bracket from the
 * wake to the start. Zoom with w and s or the wheel with Ctrl, pan with a and d, arrows or by dragging, 0 for the whole.
 *
 * - `tiles`: the coarse tile first, then the finer pieces that have come; it never fetches.
 * - `window`: which part of the coarse tile is shown; `onWindow` asks for another.
 * - `bracket`, `start`, `end`: what is written on the wait, at its wake and at its start.
 */
import {
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactElement,
} from 'react';
import { formatValue } from '../../engine/format/format';
import type { OccupantPatterns } from '../../engine/timeline/p-occupancy';
import {
  GUTTER_PX,
  HEAD_PX,
  rowsOf,
  segmentAt,
  timeAt,
  type SegmentPosition,
  type TimeScale,
} from '../../engine/timeline/timeline-layout';
import {
  WHOLE_TIMELINE,
  panViewport,
  viewportNs,
  zoomViewport,
  type TimelineViewport,
} from '../../engine/timeline/timeline-viewport';
import type { TraceTile } from '../../engine/timeline/timeline-tile';
import { listenToGestures } from '../flame/flame-gestures';
import { useTokens, useWidth } from '../plot/color-tokens';
import { TimelineTooltip } from './TimelineTooltip';
import { TimelinePainter, type Drawing } from './timeline-painter';
import css from './timeline.module.css';

export type TimelineProps = {
  tiles: readonly TraceTile[];
  window: TimelineViewport;
  onWindow: (window: TimelineViewport) => void;
  paints: OccupantPatterns;
  bracket: string;
  start: string;
  end: string;
  /** What a screen reader hears; the table beside it holds the rest. */
  label: string;
};

const RIGHT_PX = 8;
const ZOOM_STEP = 0.6;
const PAN_STEP = 0.15;

type Hovered = { place: SegmentPosition; x: number; y: number };

export function Timeline(props: TimelineProps): ReactElement | null {
  const { tiles, window: shown, paints, bracket, start, end, label, onWindow } = props;
  const host = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const painter = useRef<{ painter: TimelinePainter; ratio: number } | null>(null);
  const width = useWidth(host, 672);
  const tokens = useTokens(host);
  const [hovered, setHovered] = useState<Hovered | null>(null);
  const coarse = tiles[0]!;
  const span = coarse.endNs - coarse.startNs;
  const rows = useMemo(() => rowsOf(coarse), [coarse]);
  const scale = useMemo(
    (): TimeScale => ({
      ...viewportNs(coarse, shown),
      x0: GUTTER_PX,
      width: Math.max(1, width - GUTTER_PX - RIGHT_PX),
    }),
    [coarse, shown, width],
  );

  const draw = useCallback(() => {
    const element = canvas.current;
    if (!element || !tokens) return;
    const ratio = Math.max(1, Math.min(3, window.devicePixelRatio || 1));
    element.width = Math.round(width * ratio);
    element.height = Math.round(rows.heightPx * ratio);
    if (painter.current?.ratio !== ratio) {
      const context = element.getContext('2d');
      painter.current = context ? { painter: new TimelinePainter(context, ratio), ratio } : null;
    }
    const drawing: Drawing = {
      tiles,
      rows,
      scale,
      paints,
      tokens,
      bracket,
      start,
      end,
      hovered: hovered && {
        proc: procOf(hovered.place),
        from: hovered.place.tile.from[hovered.place.at]!,
        to: hovered.place.tile.to[hovered.place.at]!,
      },
    };
    painter.current?.painter.draw(drawing, width);
  }, [tiles, rows, scale, paints, tokens, bracket, start, end, hovered, width]);

  useEffect(() => {
    const frame = requestAnimationFrame(draw);
    return () => {
      cancelAnimationFrame(frame);
    };
  }, [draw]);

  // The newest of everything, for listeners that are set up once.
  const latest = useRef({ shown, scale, rows, tiles, span, onWindow });
  useEffect(() => {
    latest.current = { shown, scale, rows, tiles, span, onWindow };
  });
  useEffect(() => {
    const element = canvas.current;
    if (!element) return undefined;
    const fractionAt = (x: number) => (x - GUTTER_PX) / latest.current.scale.width;
    return listenToGestures(element, {
      hover: (x, y) => {
        const now = latest.current;
        const proc = now.rows.procs[Math.floor((y - HEAD_PX) / now.rows.rowPx)];
        const place =
          proc === undefined || x < GUTTER_PX
            ? null
            : segmentAt(now.tiles, proc, timeAt(now.scale, x));
        setHovered(place && { place, x, y });
      },
      leave: () => {
        setHovered(null);
      },
      choose: () => {
        host.current?.focus({ preventScroll: true });
      },
      reset: () => {
        latest.current.onWindow(WHOLE_TIMELINE);
      },
      menu: () => {
        setHovered(null);
      },
      pan: (dx) => {
        const now = latest.current;
        now.onWindow(panViewport(now.shown, -dx / now.scale.width, now.span));
      },
      zoom: (factor, x) => {
        const now = latest.current;
        now.onWindow(zoomViewport(now.shown, factor, fractionAt(x), now.span));
      },
      dragging: () => {
        setHovered(null);
      },
    });
  }, []);

  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = pressed(event.key, shown, span, coarse);
    if (!next) return;
    event.preventDefault();
    onWindow(next);
  };
  return (
    <div
      ref={host}
      className={css.timeline}
      role="group"
      aria-label={label}
      aria-keyshortcuts="w s a d 0"
      tabIndex={0}
      onKeyDown={press}
    >
      <canvas
        ref={canvas}
        className={css.canvas}
        style={{ height: rows.heightPx }}
        aria-hidden="true"
      />
      {hovered && <TimelineTooltip {...hovered} width={width} proc={procOf(hovered.place)} />}
      <p className="unseen" aria-live="polite">
        {shown.from === 0 && shown.to === 1
          ? ''
          : `Showing ${formatValue(scale.to - scale.from, 'ns')} from ${formatValue(scale.from - coarse.waitStartNs, 'ns')} after wake-up`}
      </p>
    </div>
  );
}

function procOf({ tile, at }: SegmentPosition): number {
  let row = 0;
  while (row + 1 < tile.procs.length && tile.procStart[row + 1]! <= at) row++;
  return tile.procs[row] ?? 0;
}

/** What a key asks for; null for keys that are not ours. */
function pressed(
  key: string,
  shown: TimelineViewport,
  span: number,
  tile: TraceTile,
): TimelineViewport | null {
  switch (key) {
    case 'w':
    case '+':
    case '=':
      return zoomViewport(shown, ZOOM_STEP, 0.5, span);
    case 's':
    case '-':
      return zoomViewport(shown, 1 / ZOOM_STEP, 0.5, span);
    case 'a':
    case 'ArrowLeft':
      return panViewport(shown, -PAN_STEP, span);
    case 'd':
    case 'ArrowRight':
      return panViewport(shown, PAN_STEP, span);
    case '0':
      return WHOLE_TIMELINE;
    case 'Home':
      return around(tile.waitStartNs, shown, tile);
    case 'End':
      return around(tile.waitEndNs, shown, tile);
    default:
      return null;
  }
}

/** The same closeness, with a time in the middle. */
function around(time: number, shown: TimelineViewport, tile: TraceTile): TimelineViewport {
  const at = (time - tile.startNs) / (tile.endNs - tile.startNs);
  const half = (shown.to - shown.from) / 2;
  return panViewport({ from: at - half, to: at + half }, 0, tile.endNs - tile.startNs);
}
