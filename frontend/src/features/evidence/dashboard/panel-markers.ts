/** The markers on the panels of a row: deployments, change points, gaps, annotations. */
import type {
  DeploymentMarker,
  LimitMarker,
  PanelMarkers,
  ChangePointMarker,
} from '../../../charts/dashboard';
import { zoneText } from '../../../lib/times';
import type { DashboardChangePoint, DashboardDeployment, PanelGap } from '../../../api';
import {
  QUANTILES,
  type Dashboard,
  type DashboardRow,
  type QuantileId,
} from '../../../engine/dashboard/dashboard-file';
import {
  autoLatencyScales,
  logLatencyScale,
  type HeightScale,
  type ScaleKind,
} from '../../../engine/dashboard/dashboard-scale';
import { clockText, gapText } from '../../../engine/dashboard/dashboard-time';
import { spanOf, type TimeSpan } from '../../../engine/dashboard/time-grid';
import { changePointLabel, deploymentLabel } from '../../../engine/dashboard/dashboard-wording';

export const NO_MARKERS: PanelMarkers = {
  deploys: [],
  steps: [],
  gaps: [],
  late: [],
  restarts: [],
  notes: [],
  limits: [],
};

/** Of several change points at one place, the one with the highest number is shown. */
const NAMED_SEVERITIES: Record<DashboardChangePoint['signal'], number> = {
  p99: 4,
  p90: 3,
  mean: 2,
  p50: 1,
  qps: 0,
  gauge: 0,
};

function deploymentMarkers(
  board: Dashboard,
  row: DashboardRow,
  labelled: boolean,
): DeploymentMarker[] {
  return board.deploys.map((deploy) => ({
    id: deploy.id,
    atMs: deploy.at_ms,
    muted: isQuiet(board, deploy),
    label: labelled && deploy.service_id === row.service.id ? deploymentLabel(deploy) : null,
  }));
}

/** Returns whether a deployment is muted: it is not "slower" and explains no change point. */
function isQuiet(board: Dashboard, { id, verdict }: DashboardDeployment): boolean {
  return verdict !== 'slower' && board.changes.every(({ deployment_id }) => deployment_id !== id);
}

/** Returns change points of a row on a panel; of several at one place, the most important. */
export function changesOn(
  board: Dashboard,
  row: DashboardRow,
  signals: readonly DashboardChangePoint['signal'][],
): DashboardChangePoint[] {
  const own = board.changes.filter(
    ({ service_id, signal }) => service_id === row.service.id && signals.includes(signal),
  );
  const place = 2 * board.grid.stepMs;
  return own.filter((change) =>
    own.every(
      (other) =>
        other === change ||
        Math.abs(other.at_ms - change.at_ms) > place ||
        NAMED_SEVERITIES[other.signal] < NAMED_SEVERITIES[change.signal],
    ),
  );
}

/** A service that has only mean latency shows it, whichever quantiles are selected. */
const MEAN_ONLY: readonly QuantileId[] = ['mean'];

/** Returns the lines of a row: the selected quantiles and those of its change points. */
export function drawnQuantiles(
  board: Dashboard,
  row: DashboardRow,
  asked: readonly QuantileId[],
): readonly QuantileId[] {
  if (row.latency.histogram === 'mean') return MEAN_ONLY;
  const changed = new Set(changesOn(board, row, QUANTILES).map(({ signal }) => signal));
  return QUANTILES.filter((id) => asked.includes(id) || changed.has(id));
}

/** Returns the logarithmic latency scales of all rows; null = each row has a linear scale. */
export function latencyScales(
  board: Dashboard,
  asked: readonly QuantileId[],
  instances: boolean,
  kind: ScaleKind,
): readonly HeightScale[] | null {
  if (kind === 'linear') return null;
  const drawn = board.series.map((series, row) => ({
    series,
    quantiles: drawnQuantiles(board, board.rows[row]!, asked),
  }));
  if (kind === 'auto') return autoLatencyScales(drawn, instances);
  const shared = logLatencyScale(drawn, instances);
  return drawn.map(() => shared);
}

/** Quantiles with a number above the panel; those that are drawn are added. */
const NUMBERS: readonly QuantileId[] = ['p50', 'p90', 'p99'];
export const captionQuantiles = (
  row: DashboardRow,
  drawn: readonly QuantileId[],
): readonly QuantileId[] =>
  row.latency.histogram === 'mean'
    ? MEAN_ONLY
    : QUANTILES.filter((id) => NUMBERS.includes(id) || drawn.includes(id));

function stepMarks(
  board: Dashboard,
  changes: DashboardChangePoint[],
  span: TimeSpan,
): ChangePointMarker[] {
  const inOrder = changes.toSorted((a, b) => a.at_ms - b.at_ms);
  return inOrder.map((change, at) => {
    const same = (other: DashboardChangePoint) => other.signal === change.signal;
    const previous = inOrder.slice(0, at).findLast(same);
    const next = inOrder.slice(at + 1).find(same);
    return {
      id: change.id,
      atMs: change.at_ms,
      fromMs: previous?.at_ms ?? span.fromMs,
      untilMs: next?.at_ms ?? span.toMs,
      before: change.before,
      after: change.after,
      tone: toneOf(change),
      levels: change.cause !== 'dependency',
      // The ratio of a gauge is that of its values plus one, so it has no band.
      low: change.signal === 'gauge' ? change.after : change.before * change.ratio_low,
      high: change.signal === 'gauge' ? change.after : change.before * change.ratio_high,
      label: changePointLabel(change, board),
    };
  });
}

/** Returns the quantiles whose increase is marked on a panel. */
export const increasedSignals = (
  board: Dashboard,
  row: DashboardRow,
  quantiles: readonly QuantileId[],
): DashboardChangePoint['signal'][] =>
  changesOn(board, row, quantiles)
    .filter((change) => toneOf(change) === 'more')
    .map(({ signal }) => signal);

function toneOf({ signal, cause, ratio }: DashboardChangePoint): ChangePointMarker['tone'] {
  if (signal === 'qps' || cause === 'load' || cause === 'dependency') return 'plain';
  return ratio > 1 ? 'more' : 'less';
}

/** Returns the markers of a gauge's panel: its change points, and those of the latency panel. */
export function gaugeMarkersOf(board: Dashboard, row: DashboardRow, metric: string): PanelMarkers {
  const own = board.changes.filter(
    ({ service_id, gauge }) => service_id === row.service.id && gauge === metric,
  );
  return {
    ...panelMarkersOf(board, row, 'latency', []),
    gaps: [],
    steps: stepMarks(board, own, spanOf(board.grid)),
  };
}

/**
 * Returns the markers of a gauge's strip, which has no space for text: deployments and its own
 * change points.
 */
export function stripMarkersOf(board: Dashboard, row: DashboardRow, metric: string): PanelMarkers {
  const { deploys, steps } = gaugeMarkersOf(board, row, metric);
  const label = { strong: '', plain: '', tail: '' };
  return { ...NO_MARKERS, deploys, steps: steps.map((step) => ({ ...step, label })) };
}

export function panelMarkersOf(
  board: Dashboard,
  row: DashboardRow,
  panel: 'qps' | 'latency',
  signals: readonly DashboardChangePoint['signal'][],
  limits: LimitMarker[] = [],
): PanelMarkers {
  const span = spanOf(board.grid);
  const here = (gap: PanelGap) => gap.panel === 'both' || gap.panel === panel;
  return {
    deploys: deploymentMarkers(board, row, panel === 'qps'),
    steps: stepMarks(board, changesOn(board, row, signals), span),
    gaps: row.gaps
      .filter(here)
      // The reason is shown once per row, on the latency panel if the gap is on both.
      .map((gap) => ({
        fromMs: gap.from_ms,
        toMs: gap.to_ms,
        why: panel === 'latency' || gap.panel === 'qps' ? gapText(gap, span) : '',
      })),
    late: row.late.map(({ from_ms, to_ms, received_ms }) => ({
      fromMs: from_ms,
      toMs: to_ms,
      text: `Received late, at ${clockText(received_ms)} ${zoneText(received_ms)}`,
    })),
    restarts: panel === 'qps' ? row.resets : [],
    notes: board.annotations
      .filter(({ service_id }) => service_id === null || service_id === row.service.id)
      .map(({ id, at_ms, until_ms, text }) => ({ id, atMs: at_ms, untilMs: until_ms, text })),
    limits,
  };
}
