/** The time axis below a column of panels, with the time of the cursor in a tag. */
import { useEffect, useMemo, useRef, type ReactElement } from 'react';
import { momentText, selectionText, timeTicks } from '../../engine/dashboard/dashboard-time';
import { timeAt, type TimeGrid } from '../../engine/dashboard/time-grid';
import { selectedTimeOf, type CursorBus } from '../../engine/dashboard/cursor-bus';
import css from './dashboard.module.css';
import { LEFT_PX, RIGHT_PX, plotWidth, xOf, type PlotArea } from './plot-area';

type TimeAxisProps = { bus: CursorBus; grid: TimeGrid; place: PlotArea };

export function TimeAxis({ bus, grid, place }: TimeAxisProps): ReactElement {
  const tag = useRef<HTMLSpanElement>(null);
  const ticks = useMemo(() => timeTicks(place.span, plotWidth(place)), [place]);
  useEffect(
    () =>
      bus.listen(({ index, brush }) => {
        const element = tag.current;
        if (!element) return;
        element.style.visibility = index === null ? 'hidden' : 'visible';
        if (index === null) return;
        const chosen = selectedTimeOf(brush);
        const [fromMs, toMs] = chosen
          ? [timeAt(grid, chosen.from), timeAt(grid, chosen.to)]
          : [timeAt(grid, index), timeAt(grid, index)];
        const at = (fromMs + toMs) / 2;
        element.textContent = chosen
          ? selectionText({ fromMs, toMs }, place.span, grid.stepMs)
          : momentText(at, place.span, grid.stepMs);
        const half = element.offsetWidth / 2;
        const x = Math.max(
          LEFT_PX - 8 + half,
          Math.min(place.widthPx - RIGHT_PX - half, xOf(place, at)),
        );
        element.style.transform = `translateX(${(x - half).toFixed(1)}px)`;
      }),
    [bus, grid, place],
  );
  return (
    <div className={css.timeAxis} aria-hidden="true">
      <svg width={place.widthPx} height={22}>
        {ticks.map(({ atMs, text }) => {
          const x = xOf(place, atMs);
          const last = x > place.widthPx - 24;
          return (
            <text
              key={atMs}
              x={last ? place.widthPx - RIGHT_PX : x}
              y={15}
              textAnchor={last ? 'end' : 'middle'}
            >
              {text}
            </text>
          );
        })}
      </svg>
      <span ref={tag} className={css.timeTag} />
    </div>
  );
}
