/**
 * Reads "slowpath.board": rows of services in request-flow order, their series on one time grid, and what is marked on it.
 * Texts in it come from people's own metrics and commits; they stay texts. Columns are views, nothing is copied.
 */
import { ColumnError, ColumnFile } from '../format/column-file';
import type { TimeGrid } from './dashboard-time';

export const QUANTILES = ['p50', 'p90', 'p99', 'mean'] as const;
export type QuantileId = (typeof QUANTILES)[number];
export const STATUS_CLASSES = ['2xx', '4xx', '5xx', 'other'] as const;
export type StatusClass = (typeof STATUS_CLASSES)[number];

export type DashboardGap = {
  from_ms: number;
  to_ms: number;
  why: string;
  panel: 'qps' | 'latency' | 'both';
};
export type DashboardGauge = { key: string; name: string; unit: string; max: number | null };
export type DashboardRow = {
  service: { id: string; slug: string; name: string };
  build: {
    id: string | null;
    commit: string;
    label: string | null;
    since_ms: number | null;
  } | null;
  instances: number | null;
  /** Whose samples these are, when nothing of them is stored here; values at steps where `step_ms` says so. */
  source?: { id: string; name: string; step_ms: number | null; problem: string | null } | null;
  latency: { histogram: 'classic' | 'native' | 'mean' | 'none'; why: string | null };
  requests: { found: boolean; why: string | null };
  gaps: DashboardGap[];
  /** Restarts: counters that began anew. */
  resets: number[];
  late: { from_ms: number; to_ms: number; received_ms: number }[];
  gauges: DashboardGauge[];
  instance_names: string[];
  /** Whether its cells are here. A row that is not in sight yet waits: of it only the service is known. */
  loaded: boolean;
};
type DeploymentVerdict = 'slower' | 'not-slower' | 'cannot-tell';
export type DeploymentCommit = {
  id: string;
  title?: string | null;
  author?: string | null;
  url?: string | null;
};
export type DashboardDeployment = {
  id: string;
  service_id: string;
  build_id: string | null;
  commit: string;
  label: string | null;
  at_ms: number;
  ended_ms: number | null;
  verdict: DeploymentVerdict | null;
  check: Record<string, unknown> | null;
  commits: DeploymentCommit[];
  url: string | null;
};
export type DashboardAnnotation = {
  id: string;
  service_id: string | null;
  at_ms: number;
  until_ms: number | null;
  text: string;
};
export type DashboardChangePoint = {
  id: string;
  service_id: string;
  signal: QuantileId | 'qps';
  at_ms: number;
  low_ms: number;
  high_ms: number;
  before: number;
  after: number;
  ratio: number;
  ratio_low: number;
  ratio_high: number;
  cause: 'deployment' | 'load' | 'dependency' | 'unexplained';
  deploy_id: string | null;
  upstream_cause_service_id: string | null;
  sentence: string;
};
type DashboardHeadline = {
  service_id: string;
  sentence: string;
  detail: string | null;
  deploy_id: string | null;
  change_id: string | null;
};

type Band = { low: Float32Array; high: Float32Array };
/** Series of one row, one value a grid time; NaN = nothing. null = no such series. */
export type RowSeries = {
  qps: Record<StatusClass, Float32Array | null>;
  latency: Record<QuantileId, Float32Array | null>;
  bands: Record<QuantileId, Band | null>;
  gauges: (Float32Array | null)[];
  instances: (Float32Array | null)[];
  against: { qps: Float32Array | null; latency: Record<QuantileId, Float32Array | null> } | null;
};

export type Dashboard = {
  environment: { id: string; name: string } | null;
  environments: { id: string; name: string }[];
  grid: TimeGrid;
  /** The server's clock, and the newest sample of all; null without any. */
  nowMs: number;
  newestMs: number | null;
  orderSource: 'hand' | 'spans' | 'name';
  rows: DashboardRow[];
  series: RowSeries[];
  edges: { caller: string; callee: string; ratio: number }[];
  deploys: DashboardDeployment[];
  annotations: DashboardAnnotation[];
  changes: DashboardChangePoint[];
  headline: DashboardHeadline | null;
  against: { shift_ms: number; label: string } | null;
  /** Why there is none, where one was asked for. */
  againstWhy: string | null;
  empty: { code: EmptyCode; why: string } | null;
  /** All services there are; more than the rows where only some were asked for. */
  servicesTotal: number;
  /** The ids of all of them in order, if the server sent them. */
  order: string[];
  /** How often newer cells were put behind those that came as a whole. */
  parts: number;
};
type EmptyCode = 'no-environment' | 'no-metrics' | 'not-recognised' | 'nothing-in-range';

const POINTS_MOST = 5000;

/** @throws ColumnError when the data is not a whole board. */
export function readDashboard(buffer: ArrayBuffer): Dashboard {
  const file = new ColumnFile(buffer, 'slowpath.board');
  const grid = gridOf(file);
  const loaded = listOf<DashboardRow>(file, 'rows').map(rowOf);
  const header = file.header as Partial<{
    environment: Dashboard['environment'];
    order_source: Dashboard['orderSource'];
    headline: DashboardHeadline | null;
    time_shift: Dashboard['against'];
    time_shift_reason: string | null;
    empty: { code?: EmptyCode; why: string } | null;
    services_total: number;
    services: DashboardRow['service'][];
    newest_ms: number | null;
    now_ms: number;
  }>;
  const services = asList<DashboardRow['service']>(header.services);
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
    deploys: listOf<DashboardDeployment>(file, 'deployments').map((deploy) => ({
      ...deploy,
      commits: asList(deploy.commits),
    })),
    annotations: listOf(file, 'annotations'),
    changes: listOf(file, 'changes'),
    headline: header.headline ?? null,
    against: header.time_shift ?? null,
    againstWhy: header.time_shift_reason ?? null,
    empty: header.empty ? { code: header.empty.code ?? 'no-metrics', why: header.empty.why } : null,
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
  against: null,
};

function gridOf(file: ColumnFile): TimeGrid {
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

const asList = <T>(value: unknown): T[] => (Array.isArray(value) ? (value as T[]) : []);

function listOf<T>(file: ColumnFile, name: string): T[] {
  const value = file.header[name];
  if (!Array.isArray(value))
    throw new ColumnError('bad-header', `The header's ${name} is not a list`);
  return value as T[];
}

function rowOf(row: DashboardRow): DashboardRow {
  return {
    ...row,
    gaps: asList(row.gaps),
    resets: asList(row.resets),
    late: asList(row.late),
    gauges: asList(row.gauges),
    instance_names: asList(row.instance_names),
    loaded: true,
  };
}

/** All services in order: those that came, and those that wait. */
function withLoadingRows(
  loaded: DashboardRow[],
  services: DashboardRow['service'][],
): DashboardRow[] {
  if (services.length === 0) return loaded;
  const came = new Map(loaded.map((row) => [row.service.id, row]));
  return services.map((service) => came.get(service.id) ?? makeLoadingRow(service));
}

const makeLoadingRow = (service: DashboardRow['service']): DashboardRow => ({
  service,
  build: null,
  instances: null,
  latency: { histogram: 'none', why: null },
  requests: { found: false, why: null },
  gaps: [],
  resets: [],
  late: [],
  gauges: [],
  instance_names: [],
  loaded: false,
});

function seriesOf(file: ColumnFile, prefix: string, row: DashboardRow, points: number): RowSeries {
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
    against: compared ? { qps: againstQps, latency: against } : null,
  };
}
