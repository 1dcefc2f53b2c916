/**
 * The processors around one wait, on a canvas: a row for each, what ran on it as segments, and the
 * wait as a bracket from the wake to the start. The keys w and s, or Ctrl and the wheel, zoom; a
 * and d, arrow keys or dragging pan; 0 shows everything.
 *
 * - `tiles`: the coarse tile first, then the finer pieces that are loaded; the chart never fetches.
 * - `window`: which part of the coarse tile is shown; `onWindow` requests another one.
 * - `bracket`, `start`, `end`: the text on the wait, at its wake and at its start.
 */
import { useMemo, useRef, useState, type KeyboardEvent, type ReactElement } from 'react';
import { formatValue } from '../../engine/format/format';
import type { OccupantPatterns } from '../../engine/timeline/p-occupancy';
import { GUTTER_PX, rowsOf, type TimeScale } from '../../engine/timeline/timeline-layout';
import { viewportNs, type TimelineViewport } from '../../engine/timeline/timeline-viewport';
import type { TraceTile } from '../../engine/timeline/timeline-tile';
import { useTokens, useWidth } from '../plot/color-tokens';
import { TimelineTooltip } from './TimelineTooltip';
import { viewportOfKey } from './timeline-keys';
import css from './timeline.module.css';
import { procOf, useTimelineDrawing, type HoveredSegment } from './use-timeline-drawing';
import { useTimelineGestures } from './use-timeline-gestures';

type TimelineProps = {
  tiles: readonly TraceTile[];
  window: TimelineViewport;
  onWindow: (window: TimelineViewport) => void;
  paints: OccupantPatterns;
  bracket: string;
  start: string;
  end: string;
  /** The text for screen readers; the table beside the timeline has the rest. */
  label: string;
};

const RIGHT_PX = 8;

export function Timeline(props: TimelineProps): ReactElement | null {
  const { tiles, window: shown, paints, bracket, start, end, label, onWindow } = props;
  const host = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useWidth(host, 672);
  const tokens = useTokens(host);
  const [hovered, setHovered] = useState<HoveredSegment | null>(null);
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

  useTimelineDrawing(
    canvas,
    { tiles, rows, scale, paints, tokens, bracket, start, end, hovered },
    width,
  );
  useTimelineGestures({ host, canvas }, { shown, scale, rows, tiles, span, onWindow }, setHovered);

  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = viewportOfKey(event.key, shown, span, coarse);
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
