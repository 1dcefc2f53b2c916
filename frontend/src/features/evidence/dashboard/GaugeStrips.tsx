/**
 * Up to two gauges of a service (queue depth, in flight) as thin strips: one below its requests,
 * one below its latency.
 */
import { useEffect, useMemo, useRef } from 'react';
import { DashboardPanel, type PlotArea, type Tokens } from '../../../charts/dashboard';
import type { DashboardGauge } from '../../../api';
import type { Dashboard } from '../../../engine/dashboard/dashboard-file';
import { gaugePanel, lastWith } from '../../../engine/dashboard/dashboard-panel';
import { gaugeScale } from '../../../engine/dashboard/dashboard-scale';
import type { CursorBus } from '../../../engine/dashboard/cursor-bus';
import { formatValue } from '../../../engine/format/format';
import classes from './dashboard.module.css';
import { stripMarkersOf } from './panel-markers';

const STRIP_PX = 40;

type StripsProps = {
  board: Dashboard;
  row: number;
  side: 0 | 1;
  place: PlotArea;
  tokens: Tokens | null;
  bus: CursorBus;
  onBrush: (fromMs: number, toMs: number) => void;
};

export function GaugeStrips(props: StripsProps) {
  const { board, row, side } = props;
  const gauge = board.rows[row]!.gauges[side];
  return gauge ? <Strip {...props} gauge={gauge} /> : null;
}

function Strip({
  board,
  row,
  side,
  place,
  tokens,
  bus,
  onBrush,
  gauge,
}: StripsProps & { gauge: DashboardGauge }) {
  const column = board.series[row]!.gauges[side] ?? null;
  const value = useRef<HTMLElement>(null);
  const { grid } = board;
  const model = useMemo(
    () => gaugePanel(grid, column, gaugeScale(column, gauge.max)),
    [grid, column, gauge.max],
  );
  const marks = useMemo(
    () => stripMarkersOf(board, board.rows[row]!, gauge.key),
    [board, row, gauge.key],
  );
  const own = useMemo(() => ({ ...place, heightPx: STRIP_PX }), [place]);
  useEffect(
    () =>
      bus.listen(({ index }) => {
        const at = index ?? lastWith(column, grid.points - 1);
        const text = formatValue(
          Math.round((column?.[at] ?? NaN) * 10) / 10,
          gauge.unit || 'count',
        );
        if (value.current && value.current.textContent !== text) value.current.textContent = text;
      }),
    [bus, column, grid, gauge.unit],
  );
  return (
    <div className={classes.strip}>
      <p className={classes.stripName}>
        {gauge.name} <b ref={value} />
      </p>
      <DashboardPanel
        model={model}
        grid={grid}
        place={own}
        marks={marks}
        bus={bus}
        tokens={tokens}
        label={`${gauge.name} of ${board.rows[row]!.service.name}`}
        onBrush={onBrush}
      />
    </div>
  );
}
