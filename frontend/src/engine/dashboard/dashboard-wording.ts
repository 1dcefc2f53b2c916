/**
 * Texts of the dashboard: values at a time, change points and deployments. The direction of a
 * change is in the text; color only repeats it.
 */
import type { DashboardChangePoint, DashboardDeployment } from '../../api/api-types';
import { shortCommit } from '../../lib/commits';
import type { Dashboard, DashboardRow, QuantileId, RowSeries } from './dashboard-file';
import { STATUS_CLASSES } from './dashboard-file';
import { totalOf } from './dashboard-panel';
import { clockText } from './dashboard-time';
import { formatNumber, formatRatio, formatRatioRange, formatValue } from '../format/format';

export type CaptionPart = { name: string; value: string; unit: string };

/** Formats a rate with one decimal place below 10 and none from there on. */
export function rateText(rate: number): string {
  if (Number.isNaN(rate)) return '–';
  if (rate === 0) return '0';
  if (rate < 0.05) return '< 0.1';
  return rate < 9.95 ? rate.toFixed(1) : formatNumber(Math.round(rate));
}

/** Formats seconds in the unit of the caption. */
function inUnit(seconds: number, unit: TimeUnit): string {
  if (Number.isNaN(seconds)) return '–';
  const value = seconds * unit.factor;
  return value < 9.95 ? value.toFixed(1) : formatNumber(Math.round(value));
}

type TimeUnit = { name: string; factor: number };
const UNITS: readonly TimeUnit[] = [
  { name: 's', factor: 1 },
  { name: 'ms', factor: 1e3 },
  { name: 'µs', factor: 1e6 },
];

/** Returns the unit that fits the largest of several durations. */
function commonUnit(seconds: readonly number[]): TimeUnit {
  const most = Math.max(0, ...seconds.filter((value) => !Number.isNaN(value)));
  return most >= 9.9995 ? UNITS[0]! : most >= 0.9995e-3 || most === 0 ? UNITS[1]! : UNITS[2]!;
}

type RateReader = { total: Float32Array | null; at: (index: number) => CaptionPart[] };

/** Returns a reader of all requests of a row and of each status class but 2xx that has requests. */
export function rateReader(series: RowSeries, points: number): RateReader {
  const total = totalOf(series.qps, points);
  const classes = STATUS_CLASSES.filter(
    (status) => status !== '2xx' && series.qps[status]?.some((value) => value > 0),
  );
  return {
    total,
    at: (index) => [
      { name: '', value: rateText(total?.[index] ?? NaN), unit: ' /s' },
      ...classes.map((status) => ({
        name: status,
        value: rateText(series.qps[status]?.[index] ?? NaN),
        unit: '',
      })),
    ],
  };
}

export function latencyCaption(
  series: RowSeries,
  quantiles: readonly QuantileId[],
  index: number,
): CaptionPart[] {
  const found = quantiles.filter((id) => series.latency[id] !== null);
  const values = found.map((id) => series.latency[id]?.[index] ?? NaN);
  const unit = commonUnit(values);
  return found.map((id, at) => ({
    name: id,
    value: inUnit(values[at] ?? NaN, unit),
    unit: at === found.length - 1 ? ` ${unit.name}` : '',
  }));
}

export const captionText = (parts: readonly CaptionPart[]): string =>
  parts.map(({ name, value, unit }) => `${name ? `${name} ` : ''}${value}${unit}`).join(', ');

/** Returns a function that describes a row at a grid time, for screen readers. */
export function makeRowDescriber(
  row: DashboardRow,
  series: RowSeries,
  quantiles: readonly QuantileId[],
  points: number,
): (index: number) => string {
  const rates = rateReader(series, points);
  return (index) => {
    const rate = captionText(rates.at(index)).replace(' /s', ' requests per second');
    const latency = captionText(latencyCaption(series, quantiles, index));
    return `${row.service.name}: ${rate}${latency ? `; ${latency}` : ''}`;
  };
}

export const deploymentName = (deploy: Pick<DashboardDeployment, 'commit' | 'label'>): string =>
  deploy.commit ? shortCommit(deploy.commit) : (deploy.label ?? 'deployment');

/** Returns the parts of the label of a deployment on the row of its service. */
export function deploymentLabel(deploy: DashboardDeployment): {
  lead: string;
  name: string;
  tail: string;
} {
  const at = clockText(deploy.at_ms);
  if (deploy.verdict === 'not-slower')
    return { lead: '', name: deploymentName(deploy), tail: ` ${at}, not slower` };
  return { lead: 'deployment ', name: deploymentName(deploy), tail: ` ${at}` };
}

type ChangePointLabel = { strong: string; plain: string; tail: string };

/** Returns "p99 ×3.10 (2.80 to 3.40), deployment 5f3c1e8" or "follows distributor", in parts. */
export function changePointLabel(change: DashboardChangePoint, board: Dashboard): ChangePointLabel {
  if (change.cause === 'dependency') {
    const followed = board.rows.find(
      ({ service }) => service.id === change.upstream_cause_service_id,
    );
    return {
      strong: '',
      plain: `follows ${followed?.service.name ?? 'another service'}`,
      tail: '',
    };
  }
  const deploy = board.deploys.find(({ id }) => id === change.deployment_id);
  const cause =
    change.cause === 'deployment' && deploy
      ? `, deployment ${deploymentName(deploy)}`
      : change.cause === 'load' && change.signal !== 'qps'
        ? ', explained by load'
        : '';
  return {
    strong: `${change.gauge ?? change.signal} ${formatRatio(change.ratio)}`,
    plain: ` (${formatRatioRange(change.ratio_low, change.ratio_high, 'sentence')})`,
    tail: cause,
  };
}

/** Describes a change point in one sentence, for a list and for screen readers. */
export function describeChangePoint(change: DashboardChangePoint): string {
  const value = (amount: number) => {
    if (change.signal === 'gauge') return formatNumber(amount);
    return change.signal === 'qps' ? `${rateText(amount)} /s` : formatValue(amount, 's');
  };
  const name = change.gauge ?? change.signal;
  return `${name} ${value(change.before)} became ${value(change.after)}`;
}
