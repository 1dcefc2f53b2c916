/**
 * The cursor over one panel: a line, a dot on each line of the chart, and the range being selected.
 * The cursor bus moves the elements directly, without rendering by React or ECharts.
 */
import { useEffect, useRef, type ReactElement } from 'react';
import type { PanelModel } from '../../engine/dashboard/dashboard-panel';
import { heightOf } from '../../engine/dashboard/dashboard-scale';
import { timeAt, type TimeGrid } from '../../engine/dashboard/time-grid';
import {
  selectedTimeOf,
  type CursorBus,
  type CursorState,
} from '../../engine/dashboard/cursor-bus';
import css from './dashboard.module.css';
import { xOf, yOf, type PlotArea } from './plot-area';

type CursorLayerProps = { bus: CursorBus; model: PanelModel; grid: TimeGrid; place: PlotArea };

export function CursorLayer({ bus, model, grid, place }: CursorLayerProps): ReactElement {
  const line = useRef<HTMLDivElement>(null);
  const brush = useRef<HTMLDivElement>(null);
  const dots = useRef<(HTMLElement | null)[]>([]);
  const dotted = model.lines.filter((each) => each.dots !== null);
  useEffect(() => {
    const marks = model.lines.flatMap((each) => (each.dots ? [each.dots] : []));
    return bus.listen((state) => {
      moveLine(line.current, state, grid, place);
      moveBrush(brush.current, state, grid, place);
      marks.forEach((column, at) => {
        const dot = dots.current[at];
        const value = state.index === null ? NaN : (column[state.index] ?? NaN);
        if (!dot) return;
        if (state.index === null || Number.isNaN(value)) {
          hide(dot);
          return;
        }
        const x = xOf(place, timeAt(grid, state.index));
        const y = yOf(place, heightOf(model.scale, value));
        dot.style.transform = `translate(${x.toFixed(1)}px,${y.toFixed(1)}px)`;
        show(dot);
      });
    });
  }, [bus, model, grid, place]);
  return (
    <div className={css.cursorLayer} aria-hidden="true">
      <div ref={brush} className={css.brush} />
      <div ref={line} className={css.cursorLine} data-cursor-line="" />
      {dotted.map((_, at) => (
        <i
          key={at}
          ref={(element) => {
            dots.current[at] = element;
          }}
          className={css.cursorDot}
        />
      ))}
    </div>
  );
}

function hide(element: HTMLElement): void {
  if (element.style.visibility !== 'hidden') element.style.visibility = 'hidden';
}
function show(element: HTMLElement): void {
  if (element.style.visibility !== 'visible') element.style.visibility = 'visible';
}

function moveLine(
  element: HTMLElement | null,
  { index }: Readonly<CursorState>,
  grid: TimeGrid,
  place: PlotArea,
): void {
  if (!element) return;
  if (index === null) {
    hide(element);
    return;
  }
  element.style.transform = `translateX(${xOf(place, timeAt(grid, index)).toFixed(1)}px)`;
  show(element);
}

function moveBrush(
  element: HTMLElement | null,
  state: Readonly<CursorState>,
  grid: TimeGrid,
  place: PlotArea,
): void {
  if (!element) return;
  const chosen = selectedTimeOf(state.brush, 1);
  if (!chosen) {
    hide(element);
    return;
  }
  const from = xOf(place, timeAt(grid, chosen.from));
  element.style.left = `${from}px`;
  element.style.width = `${xOf(place, timeAt(grid, chosen.to)) - from}px`;
  show(element);
}
