/**
 * The row of one service: what runs, its requests, its latency. Its panels are drawn again only if
 * their data, the view or the size changes.
 */
import { memo, useCallback, useMemo, type ReactNode } from 'react';
import { zoneText } from '../../../lib/times';
import {
  ChartPicture,
  DashboardPanel,
  CursorSlider,
  type PlotArea,
  type Tokens,
} from '../../../charts/dashboard';
import type { Dashboard, DashboardRow } from '../../../engine/dashboard/dashboard-file';
import {
  latencyPanel,
  ratePanel,
  splitPanel,
  totalOf,
} from '../../../engine/dashboard/dashboard-panel';
import {
  linearLatencyScale,
  rateScale,
  type HeightScale,
} from '../../../engine/dashboard/dashboard-scale';
import { momentText } from '../../../engine/dashboard/dashboard-time';
import { timeAt } from '../../../engine/dashboard/time-grid';
import { deploymentName, makeRowDescriber } from '../../../engine/dashboard/dashboard-wording';
import type { CursorBus } from '../../../engine/dashboard/cursor-bus';
import { LatencyCaption, RateCaption } from './PanelCaption';
import type { Budget } from '../../../api';
import { limitsOf } from './panel-annotations';
import { GaugeStrips } from './GaugeStrips';
import { ServiceCell } from './ServiceCell';
import { splitPartName } from './SplitMenu';
import classes from './dashboard.module.css';
import {
  captionQuantiles,
  drawnQuantiles,
  increasedSignals,
  panelMarkersOf,
} from './panel-markers';
import type { DashboardView } from './dashboard-url';
import type { ServiceOrder } from './use-service-order';

type RowViewProps = {
  board: Dashboard;
  row: number;
  /** The position from the top. */
  at: number;
  below: DashboardRow['service'][];
  view: DashboardView;
  /** The logarithmic latency scale; null = a linear scale from zero to the row's own maximum. */
  shared: HeightScale | null;
  place: PlotArea;
  tokens: Tokens | null;
  bus: CursorBus;
  tabIndex: 0 | -1;
  order: ServiceOrder | null;
  actions: ReactNode;
  onRow: (by: number) => void;
  onBrush: (fromMs: number, toMs: number, service: DashboardRow['service']) => void;
  onDeploy: (id: string) => void;
  onNote: (id: string) => void;
  budgets: readonly Budget[];
  stepLink?: (changeId: string) => ReactNode;
};

export function DashboardRowView(props: RowViewProps) {
  const { board, row, at, below, order, tabIndex, onRow } = props;
  const content = board.rows[row]!;
  const hot = board.headline?.service_id === content.service.id;
  return (
    <li
      id={`service-${content.service.id}`}
      className={classes.row}
      data-hot={hot || undefined}
      data-row={content.service.id}
      data-waiting={!content.loaded || undefined}
    >
      <ServiceCell
        board={board}
        row={content}
        at={at}
        below={below}
        order={order}
        actions={props.actions}
      />
      {content.loaded ? (
        <>
          <Panels {...props} />
          <RowSlider {...props} tabIndex={tabIndex} onRow={onRow} />
        </>
      ) : (
        <LoadingRow />
      )}
    </li>
  );
}

/** A placeholder for a row that is not loaded, with the height of the loaded row. */
function LoadingRow() {
  return ['requests', 'latency'].map((panel) => (
    <div key={panel} className={classes.cell} aria-hidden="true">
      <div className={classes.caption} />
      <div className={classes.bonePanel} />
    </div>
  ));
}

const samePanels = (a: RowViewProps, b: RowViewProps): boolean =>
  a.board === b.board &&
  a.row === b.row &&
  a.view.quantiles === b.view.quantiles &&
  a.view.instances === b.view.instances &&
  a.shared === b.shared &&
  a.place === b.place &&
  a.tokens === b.tokens &&
  a.bus === b.bus &&
  a.onBrush === b.onBrush &&
  a.onDeploy === b.onDeploy &&
  a.onNote === b.onNote &&
  a.budgets === b.budgets &&
  a.stepLink === b.stepLink;

const Panels = memo(function Panels(props: RowViewProps) {
  const { board, row, view, shared, place, tokens, bus, onDeploy, onNote, budgets } = props;
  const { instances } = view;
  const content = board.rows[row]!;
  const onBrush = useOwnBrush(props.onBrush, content.service);
  const quantiles = useMemo(
    () => drawnQuantiles(board, content, view.quantiles),
    [board, content, view.quantiles],
  );
  const series = board.series[row]!;
  const { grid } = board;
  const rate = useMemo(() => {
    const total = totalOf(series.qps, grid.points);
    return ratePanel(grid, series, rateScale([total, series.against?.qps ?? null]));
  }, [grid, series]);
  const latency = useMemo(() => {
    const scale = shared ?? linearLatencyScale(series, quantiles, instances);
    if (content.split.length === 0)
      return latencyPanel(grid, series, scale, { quantiles, instances });
    const parts = content.split.map((part, at) => ({
      name: splitPartName(part),
      place: part.value === null ? ('other' as const) : at,
      column: series.split[at] ?? null,
    }));
    return splitPanel(grid, parts, scale);
  }, [grid, series, shared, quantiles, instances, content.split]);
  const [rateMarks, latencyMarks] = usePanelMarkers(board, content, quantiles, budgets);
  const common = { grid, place, bus, tokens, onBrush, stepLink: props.stepLink };
  const { name } = content.service;
  return (
    <>
      <div className={classes.cell}>
        <RateCaption board={board} row={row} bus={bus} />
        {content.requests.found ? (
          <ChartPicture name={`requests per second of ${name}`}>
            <DashboardPanel
              {...common}
              model={rate}
              marks={rateMarks}
              label={`Requests per second of ${name}, stacked by status class`}
              deployTitle={(id) => deploymentTitle(board, id)}
              onDeploy={onDeploy}
              onNote={onNote}
            />
          </ChartPicture>
        ) : (
          <Nothing what="No request metric" why={content.requests.reason} />
        )}
        <GaugeStrips
          board={board}
          row={row}
          side={0}
          place={place}
          tokens={tokens}
          bus={bus}
          onBrush={onBrush}
        />
      </div>
      <div className={classes.cell}>
        <LatencyCaption
          board={board}
          row={row}
          bus={bus}
          quantiles={captionQuantiles(content, quantiles)}
          increased={increasedSignals(board, content, quantiles)}
          note={shared?.lower ? `axis range ×${shared.lower}` : ''}
          noteTitle="Of a row that needs it, the axis covers more ratios than those of the other rows, so equal heights are not equal ratios"
        />
        {content.latency.histogram === 'none' ? (
          <Nothing what="No latency metric" why={content.latency.reason} />
        ) : (
          <ChartPicture name={`latency of ${name}`}>
            <DashboardPanel
              {...common}
              model={latency}
              marks={latencyMarks}
              label={
                content.split.length > 0
                  ? `p99 of ${name} by ${view.split?.label ?? 'label'}: ${content.split.map(splitPartName).join(', ')}`
                  : `Latency of ${name}: ${quantiles.join(', ')}`
              }
            />
          </ChartPicture>
        )}
        <GaugeStrips
          board={board}
          row={row}
          side={1}
          place={place}
          tokens={tokens}
          bus={bus}
          onBrush={onBrush}
        />
      </div>
    </>
  );
}, samePanels);

function usePanelMarkers(
  board: Dashboard,
  content: DashboardRow,
  quantiles: ReturnType<typeof drawnQuantiles>,
  budgets: RowViewProps['budgets'],
) {
  const rate = useMemo(() => panelMarkersOf(board, content, 'qps', ['qps']), [board, content]);
  const latency = useMemo(() => {
    const limits = limitsOf(budgets, content.service.id, quantiles);
    return panelMarkersOf(board, content, 'latency', quantiles, limits);
  }, [board, content, quantiles, budgets]);
  return [rate, latency] as const;
}

/** Returns a callback that passes a selected range to `onBrush` with the service of the row. */
const useOwnBrush = (onBrush: RowViewProps['onBrush'], service: DashboardRow['service']) =>
  useCallback((fromMs: number, toMs: number) => onBrush(fromMs, toMs, service), [onBrush, service]);

function deploymentTitle(board: Dashboard, id: string): string {
  const deploy = board.deploys.find((each) => each.id === id);
  if (!deploy) return 'Deployment';
  const service = board.rows.find((row) => row.service.id === deploy.service_id)?.service.name;
  return `Deployment ${deploymentName(deploy)} of ${service ?? 'a service'}, ${momentText(deploy.at_ms, { fromMs: 0, toMs: Infinity })} ${zoneText(deploy.at_ms)}`;
}

/** Shows in place of a panel why it is empty. */
function Nothing({ what, why }: { what: string; why: string | null }) {
  return (
    <div className={classes.nothing}>
      <p>
        {what}
        {why ? `: ${why}` : ''}
      </p>
    </div>
  );
}

function RowSlider({ board, row, view, bus, tabIndex, onRow, onBrush }: RowViewProps) {
  const content = board.rows[row]!;
  const describe = useMemo(() => {
    const quantiles = captionQuantiles(content, view.quantiles);
    const describeAt = makeRowDescriber(content, board.series[row]!, quantiles, board.grid.points);
    const span = { fromMs: 0, toMs: board.grid.stepMs * board.grid.points };
    return (index: number) =>
      `${momentText(timeAt(board.grid, index), span, board.grid.stepMs)}, ${describeAt(index)}`;
  }, [board, content, row, view.quantiles]);
  const ownBrush = useOwnBrush(onBrush, content.service);
  const toRow = useCallback((by: number) => onRow(by), [onRow]);
  return (
    <CursorSlider
      bus={bus}
      grid={board.grid}
      label={`Time cursor, values of ${content.service.name}`}
      describe={describe}
      tabIndex={tabIndex}
      onRow={toRow}
      onBrush={ownBrush}
    />
  );
}
