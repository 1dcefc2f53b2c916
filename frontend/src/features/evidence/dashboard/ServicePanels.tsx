/** Requests and latency of some services in a fixed range, as the dashboard draws them, for pages about that range. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useLayoutEffect, useMemo, useRef, type ReactNode } from 'react';
import {
  DashboardPanel,
  TimeAxis,
  useTokens,
  useWidth,
  type PlotArea,
} from '../../../charts/dashboard';
import type { CursorBus } from '../../../engine/dashboard/cursor-bus';
import type { Dashboard, QuantileId } from '../../../engine/dashboard/dashboard-file';
import {
  latencyPanel,
  ratePanel,
  totalOf,
  type PanelModel,
} from '../../../engine/dashboard/dashboard-panel';
import { autoLatencyScales, rateScale } from '../../../engine/dashboard/dashboard-scale';
import { spanOf } from '../../../engine/dashboard/time-grid';
import { ErrorState, SkeletonRows } from '../../../ui';
import { LatencyCaption, RateCaption } from './PanelCaption';
import classes from './dashboard.module.css';
import { panelsQuery, type PanelsRequest } from './dashboard-queries';
import { limitsOf, useBudgets } from './panel-annotations';
import { increasedSignals, panelMarkersOf } from './panel-markers';
import { useCursorBus } from './use-live-refresh';

export type ServicePanelsProps = PanelsRequest & {
  quantile: QuantileId;
  onRange: (fromMs: number, toMs: number) => void;
  /** Beside the head of the latency. */
  link: ReactNode;
};

const PANEL_PX = 178;

export default function ServicePanels(props: ServicePanelsProps) {
  const { environment, services, span, quantile, onRange, link } = props;
  const query = useQuery(panelsQuery({ environment, services, span }));
  const bus = useCursorBus();
  const board = query.data;
  useLayoutEffect(() => {
    if (board) bus.resize(board.grid.points);
  }, [bus, board]);
  if (query.error)
    return (
      <ErrorState
        what="Could not load the panels"
        error={query.error}
        action={<Button onClick={() => void query.refetch()}>Try again</Button>}
      />
    );
  if (!board) return <SkeletonRows rows={2} height={PANEL_PX / 2} label="Loading the panels" />;
  const rows = services
    .map((id) => board.rows.findIndex((row) => row.loaded && row.service.id === id))
    .filter((row) => row >= 0);
  if (rows.length === 0)
    return <p className="muted">No samples of this range are stored any more.</p>;
  return rows.map((row, at) => (
    <RowPanels
      key={board.rows[row]!.service.id}
      board={board}
      row={row}
      bus={bus}
      quantile={quantile}
      onRange={onRange}
      link={at === 0 ? link : null}
    />
  ));
}

type RowPanelsProps = Pick<ServicePanelsProps, 'quantile' | 'onRange' | 'link'> & {
  board: Dashboard;
  row: number;
  bus: CursorBus;
};

/** Both panels of one service. */
function RowPanels({ board, row, bus, quantile, onRange, link }: RowPanelsProps) {
  const content = board.rows[row]!;
  const series = board.series[row]!;
  const { grid } = board;
  const { name } = content.service;
  const shown = useMemo<QuantileId[]>(
    () => [content.latency.histogram === 'mean' ? 'mean' : quantile],
    [content, quantile],
  );
  const rate = useMemo(
    () => ratePanel(grid, series, rateScale([totalOf(series.qps, grid.points), null])),
    [grid, series],
  );
  const latency = useMemo(() => {
    const [scale] = autoLatencyScales([{ series, quantiles: shown }]);
    return latencyPanel(grid, series, scale!, { quantiles: shown, instances: false });
  }, [grid, series, shown]);
  const common = { board, row, bus, onRange };
  const reason = content.latency.histogram === 'none' ? content.latency.reason : null;
  return (
    <div className={classes.pair}>
      <section aria-label={`Requests per second of ${name}`}>
        <h3 className={classes.pairHead}>{name}: requests per second</h3>
        <RateCaption board={board} row={row} bus={bus} />
        {content.requests.found ? (
          <FramedPanel {...common} model={rate} signals={RATE} label="Requests per second" />
        ) : (
          <p className={classes.nothing}>{content.requests.reason ?? 'No request metric'}</p>
        )}
      </section>
      <section aria-label={`Latency of ${name}`}>
        <h3 className={classes.pairHead}>
          {name}: latency {shown.join(', ')}
          <span className="grow" />
          {link}
        </h3>
        <LatencyCaption
          board={board}
          row={row}
          bus={bus}
          quantiles={shown}
          increased={increasedSignals(board, content, shown)}
        />
        {content.latency.histogram === 'none' ? (
          <p className={classes.nothing}>{reason ?? 'No latency metric'}</p>
        ) : (
          <FramedPanel {...common} model={latency} signals={shown} label="Latency" />
        )}
      </section>
    </div>
  );
}

const RATE = ['qps'] as const;

type FramedPanelProps = {
  board: Dashboard;
  row: number;
  bus: CursorBus;
  onRange: ServicePanelsProps['onRange'];
  model: PanelModel;
  signals: readonly (QuantileId | 'qps')[];
  label: string;
};

/** A panel as wide as its place, with its time axis. */
function FramedPanel({ board, row, bus, onRange, model, signals, label }: FramedPanelProps) {
  const host = useRef<HTMLDivElement>(null);
  const widthPx = useWidth(host, 0);
  const tokens = useTokens(host);
  const { grid } = board;
  const content = board.rows[row]!;
  const budgets = useBudgets(board.environment?.id ?? '');
  const place: PlotArea = useMemo(
    () => ({ widthPx, heightPx: PANEL_PX, span: spanOf(grid) }),
    [widthPx, grid],
  );
  const marks = useMemo(
    () =>
      signals === RATE
        ? panelMarkersOf(board, content, 'qps', signals)
        : panelMarkersOf(
            board,
            content,
            'latency',
            signals,
            limitsOf(
              budgets,
              content.service.id,
              signals.filter((signal) => signal !== 'qps'),
            ),
          ),
    [board, content, signals, budgets],
  );
  return (
    <div ref={host}>
      <DashboardPanel
        model={model}
        grid={grid}
        place={place}
        marks={marks}
        bus={bus}
        tokens={tokens}
        label={`${label} of ${content.service.name}`}
        onBrush={onRange}
      />
      <TimeAxis bus={bus} grid={grid} place={place} />
    </div>
  );
}
