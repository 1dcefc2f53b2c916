/** The whole trace in small: dragging over it selects the viewport, as keys in the waterfall do. */
import { useMemo, useRef, useState, type PointerEvent, type ReactElement } from 'react';
import {
  WHOLE_TIMELINE,
  clampViewport,
  type TimelineViewport,
} from '../../engine/timeline/timeline-viewport';
import { criticalRuns, type WaterfallSpan } from '../../engine/spans/waterfall-layout';
import css from './waterfall.module.css';

type MinimapProps = {
  spans: readonly WaterfallSpan[];
  durationNs: number;
  window: TimelineViewport;
  onWindow: (window: TimelineViewport) => void;
};

const LANES = 24;
const COLUMNS = 480;
const LANE_PX = 2;
/** A shorter drag is a click, which moves the viewport to its position. */
const LEAST_DRAG = 0.004;

export function Minimap({ spans, durationNs, window, onWindow }: MinimapProps): ReactElement {
  const host = useRef<HTMLDivElement>(null);
  const [drag, setDrag] = useState<TimelineViewport | null>(null);
  const lanes = Math.min(LANES, Math.max(1, spans.length));
  const path = useMemo(
    () =>
      criticalRuns(spans, durationNs, lanes, COLUMNS)
        .map(({ lane, from, to }) => `M${from} ${lane * 2 + 0.25}H${to}v1.5H${from}z`)
        .join(''),
    [spans, durationNs, lanes],
  );
  const placeOf = (event: PointerEvent) => {
    const box = host.current?.getBoundingClientRect();
    if (!box) return 0;
    return Math.max(0, Math.min(1, (event.clientX - box.left) / Math.max(1, box.width)));
  };
  const finish = () => {
    if (!drag) return;
    const [from, to] = [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)];
    setDrag(null);
    if (to - from >= LEAST_DRAG) onWindow(clampViewport({ from, to }, durationNs));
    else {
      const half = (window.to - window.from) / 2;
      onWindow(clampViewport({ from: from - half, to: from + half }, durationNs));
    }
  };
  const shown = drag ?? window;
  const from = Math.min(shown.from, shown.to);
  const to = Math.max(shown.from, shown.to);
  return (
    <div
      ref={host}
      className={css.minimap}
      aria-hidden="true"
      title="Drag to zoom, double-click to show everything"
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        const at = placeOf(event);
        setDrag({ from: at, to: at });
      }}
      onPointerMove={(event) => {
        if (drag) setDrag({ ...drag, to: placeOf(event) });
      }}
      onPointerUp={finish}
      onPointerCancel={() => setDrag(null)}
      onDoubleClick={() => onWindow(WHOLE_TIMELINE)}
    >
      <svg
        width="100%"
        height={lanes * LANE_PX}
        viewBox={`0 0 ${COLUMNS} ${lanes * 2}`}
        preserveAspectRatio="none"
      >
        <path d={path} className={css.minimapRuns} />
      </svg>
      <span className={css.shade} style={{ left: 0, width: `${from * 100}%` }} />
      <span className={css.shade} style={{ left: `${to * 100}%`, right: 0 }} />
      <span
        className={css.brush}
        style={{ left: `${from * 100}%`, width: `${(to - from) * 100}%` }}
      />
    </div>
  );
}
