/**
 * Requests, latency and a gauge of some services in a fixed time range, drawn as on the dashboard,
 * for other pages.
 */
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
  gaugePanel,
  latencyPanel,
  ratePanel,
  totalOf,
  type PanelModel,
} from '../../../engine/dashboard/dashboard-panel';
import {
  autoLatencyScales,
  gaugeScale,
  rateScale,
} from '../../../engine/dashboard/dashboard-scale';
import { spanOf } from '../../../engine/dashboard/time-grid';
import { ErrorState, SkeletonRows } from '../../../ui';
import { LatencyCaption, RateCaption } from './PanelCaption';
import classes from './dashboard.module.css';
import { panelsQuery, type PanelsRequest } from './dashboard-queries';
import { limitsOf, useBudgets } from './panel-annotations';
import { gaugeMarkersOf, increasedSignals, panelMarkersOf } from './panel-markers';
import { useCursorBus } from './use-live-refresh';

export type ServicePanelsProps = PanelsRequest & {
  quantile: QuantileId;
  /** The metric of the gauge that is drawn for the first service. */
  gauge?: string | null;
  onRange: (fromMs: number, toMs: number) => void;
  /** Shown next to the latency heading. */
  link: ReactNode;
};

const PANEL_PX = 178;

export default function ServicePanels(props: ServicePanelsProps) {
  const { environment, services, span, quantile, gauge = null, onRange, link } = props;
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
      gauge={at === 0 ? gauge : null}
      onRange={onRange}
      link={at === 0 ? link : null}
    />
  ));
}

type RowPanelsProps = Pick<ServicePanelsProps, 'quantile' | 'onRange' | 'link'> & {
  gauge: string | null;
  board: Dashboard;
  row: number;
  bus: CursorBus;
};

/** The panels of one service. */
function RowPanels({ board, row, bus, quantile, gauge, onRange, link }: RowPanelsProps) {
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
      {gauge !== null && <GaugePanel {...common} gauge={gauge} />}
    </div>
  );
}

const RATE = ['qps'] as const;

type GaugePanelProps = Omit<FramedPanelProps, 'model' | 'signals' | 'label'> & { gauge: string };

function GaugePanel({ gauge, ...common }: GaugePanelProps) {
  const { board, row } = common;
  const content = board.rows[row]!;
  const at = content.gauges.findIndex(({ key }) => key === gauge);
  const column = board.series[row]!.gauges[at] ?? null;
  const model = useMemo(
    () => gaugePanel(board.grid, column, gaugeScale(column, content.gauges[at]?.max ?? null)),
    [board.grid, column, content, at],
  );
  const name = content.gauges[at]?.name ?? gauge;
  return (
    <section aria-label={`${name} of ${content.service.name}`}>
      <h3 className={classes.pairHead}>
        {content.service.name}: {name}
      </h3>
      {column === null ? (
        <p className={classes.nothing}>No samples of {gauge} in this range</p>
      ) : (
        <FramedPanel {...common} model={model} signals={GAUGE} gauge={gauge} label={name} />
      )}
    </section>
  );
}

const GAUGE = ['gauge'] as const;

type FramedPanelProps = {
  board: Dashboard;
  row: number;
  bus: CursorBus;
  onRange: ServicePanelsProps['onRange'];
  model: PanelModel;
  signals: readonly (QuantileId | 'qps' | 'gauge')[];
  gauge?: string;
  label: string;
};

/** A panel as wide as its container, with a time axis. */
function FramedPanel(props: FramedPanelProps) {
  const { board, row, bus, onRange, model, signals, gauge, label } = props;
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
  const marks = useMemo(() => {
    if (gauge !== undefined) return gaugeMarkersOf(board, content, gauge);
    if (signals === RATE) return panelMarkersOf(board, content, 'qps', signals);
    const quantiles = signals.filter((signal) => signal !== 'qps' && signal !== 'gauge');
    const limits = limitsOf(budgets, content.service.id, quantiles);
    return panelMarkersOf(board, content, 'latency', signals, limits);
  }, [board, content, signals, gauge, budgets]);
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
