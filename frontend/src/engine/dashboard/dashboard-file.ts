/**
 * Reads "slowpath.board": the rows of services in the order of requests, their series on one time
 * grid, and the markers. Its texts come from metrics and commits of users and are plain text.
 * Columns are views, without copies.
 */
import type * as api from '../../api/api-types';
import type { DashboardDeployment, DashboardHeader, DashboardService } from '../../api/api-types';
import { ColumnError, ColumnFile } from '../format/column-file';
import type { TimeGrid } from './time-grid';

export const QUANTILES = ['p50', 'p90', 'p99', 'mean'] as const;
export type QuantileId = (typeof QUANTILES)[number];
export const STATUS_CLASSES = ['2xx', '4xx', '5xx', 'other'] as const;
export type StatusClass = (typeof STATUS_CLASSES)[number];

/** The row of one service. Until it is `loaded`, only the service is known. */
export type DashboardRow = api.DashboardRow & { loaded: boolean };

type Band = { low: Float32Array; high: Float32Array };
/** Series of one row with one value per grid time: NaN = no value; null = no such series. */
export type RowSeries = {
  qps: Record<StatusClass, Float32Array | null>;
  latency: Record<QuantileId, Float32Array | null>;
  bands: Record<QuantileId, Band | null>;
  gauges: (Float32Array | null)[];
  instances: (Float32Array | null)[];
  /** p99 of each part of a row that is split by a label, in the order of `row.split`. */
  split: (Float32Array | null)[];
  against: { qps: Float32Array | null; latency: Record<QuantileId, Float32Array | null> } | null;
};

export type Dashboard = Pick<
  DashboardHeader,
  'environment' | 'environments' | 'edges' | 'annotations' | 'changes' | 'headline' | 'empty'
> & {
  grid: TimeGrid;
  /** The time of the server, and of the newest sample of all services; null if there is none. */
  nowMs: number;
  newestMs: number | null;
  orderSource: DashboardHeader['order_source'];
  rows: DashboardRow[];
  series: RowSeries[];
  deploys: DashboardDeployment[];
  against: DashboardHeader['time_shift'];
  /** Why the earlier period that was requested cannot be shown. */
  againstReason: string | null;
  /** The number of all services; more than the rows if only some were requested. */
  servicesTotal: number;
  /** The ids of all services in order, if the server sent them. */
  order: string[];
  /** How often newer cells were appended since the last full response. */
  parts: number;
};

type DashboardFile = ColumnFile<DashboardHeader>;
const POINTS_MOST = 5000;

/** @throws ColumnError if the data is not a complete dashboard */
export function readDashboard(buffer: ArrayBuffer): Dashboard {
  const file = new ColumnFile<DashboardHeader>(buffer, 'slowpath.board');
  const grid = gridOf(file);
  const loaded = listOf(file, 'rows').map(rowOf);
  const header = file.header as Partial<DashboardHeader>;
  const services = asList(header.services);
  const rows = withLoadingRows(loaded, services);
  const places = new Map(loaded.map((row, index) => [row, index]));
  return {
    environment: header.environment ?? null,
    environments: listOf(file, 'environments'),
    grid,
    nowMs: header.now_ms ?? 0,
    newestMs: header.newest_ms ?? null,
    orderSource: header.order_source ?? 'name',
    rows,
    series: rows.map((row) => {
      const index = places.get(row);
      return index === undefined ? NO_SERIES : seriesOf(file, `r${index}`, row, grid.points);
    }),
    edges: listOf(file, 'edges'),
    deploys: listOf(file, 'deployments').map((deploy) => ({
      ...deploy,
      commits: asList(deploy.commits),
    })),
    annotations: listOf(file, 'annotations'),
    changes: listOf(file, 'changes'),
    headline: header.headline ?? null,
    against: header.time_shift ?? null,
    againstReason: header.time_shift_reason ?? null,
    empty: header.empty ?? null,
    servicesTotal: header.services_total ?? rows.length,
    order: services.map(({ id }) => id),
    parts: 0,
  };
}

const NO_SERIES: RowSeries = {
  qps: { '2xx': null, '4xx': null, '5xx': null, other: null },
  latency: { p50: null, p90: null, p99: null, mean: null },
  bands: { p50: null, p90: null, p99: null, mean: null },
  gauges: [],
  instances: [],
  split: [],
  against: null,
};

function gridOf(file: DashboardFile): TimeGrid {
  const grid = {
    fromMs: file.whole('from_ms'),
    stepMs: file.whole('step_ms'),
    points: file.whole('points'),
  };
  if (grid.points > POINTS_MOST)
    throw new ColumnError(
      'bad-header',
      'The dashboard has too many points',
      POINTS_MOST,
      grid.points,
    );
  if (grid.stepMs === 0) throw new ColumnError('bad-header', 'The step of the dashboard is zero');
  return grid;
}

const asList = <T>(value: T[] | undefined): T[] => (Array.isArray(value) ? value : []);

type Lists = Pick<
  DashboardHeader,
  'environments' | 'rows' | 'edges' | 'deployments' | 'annotations' | 'changes'
>;

function listOf<Name extends keyof Lists>(file: DashboardFile, name: Name): Lists[Name] {
  const value = file.header[name];
  if (!Array.isArray(value))
    throw new ColumnError('bad-header', `The header's ${name} is not a list`);
  return value as Lists[Name];
}

function rowOf(row: api.DashboardRow): DashboardRow {
  return {
    ...row,
    gaps: asList(row.gaps),
    resets: asList(row.resets),
    late: asList(row.late),
    gauges: asList(row.gauges),
    instance_names: asList(row.instance_names),
    split_labels: asList(row.split_labels),
    split: asList(row.split),
    loaded: true,
  };
}

/** Returns rows of all services in order: the loaded ones, and placeholders for the others. */
function withLoadingRows(loaded: DashboardRow[], services: DashboardService[]): DashboardRow[] {
  if (services.length === 0) return loaded;
  const came = new Map(loaded.map((row) => [row.service.id, row]));
  return services.map((service) => came.get(service.id) ?? makeLoadingRow(service));
}

const makeLoadingRow = (service: DashboardService): DashboardRow => ({
  service,
  build: null,
  instances: null,
  latency: { histogram: 'none', reason: null },
  requests: { found: false, reason: null },
  source: null,
  gaps: [],
  resets: [],
  late: [],
  gauges: [],
  instance_names: [],
  split_labels: [],
  split: [],
  loaded: false,
});

function seriesOf(
  file: DashboardFile,
  prefix: string,
  row: DashboardRow,
  points: number,
): RowSeries {
  const take = (name: string): Float32Array | null =>
    file.has(`${prefix}_${name}`) ? file.column(`${prefix}_${name}`, 'f32', points) : null;
  const each = <Key extends string, T>(keys: readonly Key[], of: (key: Key) => T) =>
    Object.fromEntries(keys.map((key) => [key, of(key)])) as Record<Key, T>;
  const band = (id: QuantileId): Band | null => {
    const [low, high] = [take(`${id}_low`), take(`${id}_high`)];
    return low && high ? { low, high } : null;
  };
  const againstQps = take('against_qps');
  const against = each(QUANTILES, (id) => take(`against_${id}`));
  const compared = againstQps !== null || QUANTILES.some((id) => against[id] !== null);
  return {
    qps: each(STATUS_CLASSES, (id) => take(`qps_${id}`)),
    latency: each(QUANTILES, take),
    bands: each(QUANTILES, band),
    gauges: row.gauges.map((_, index) => take(`gauge${index}`)),
    instances: row.instance_names.map((_, index) => take(`inst${index}`)),
    split: row.split.map((_, index) => take(`split${index}`)),
    against: compared ? { qps: againstQps, latency: against } : null,
  };
}
