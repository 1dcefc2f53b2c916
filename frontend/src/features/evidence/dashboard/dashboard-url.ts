/** The URL parameters of the dashboard. Default values are omitted. */
import * as z from 'zod/mini';
import { QUANTILES, type QuantileId } from '../../../engine/dashboard/dashboard-file';
import type { ScaleKind } from '../../../engine/dashboard/dashboard-scale';
import type { TimeSpan } from '../../../engine/dashboard/time-grid';

export const RANGES = ['1h', '4h', '24h', '7d', '30d'] as const;
export type RangeId = (typeof RANGES)[number];
export const RANGE_MS: Record<RangeId, number> = {
  '1h': 3_600_000,
  '4h': 4 * 3_600_000,
  '24h': 24 * 3_600_000,
  '7d': 7 * 24 * 3_600_000,
  '30d': 30 * 24 * 3_600_000,
};
const DAY_MS = 86_400_000;
/** The longest time range that the server returns. */
const RANGE_MOST_DAYS = 90;

/** The shortest time range that is drawn. */
const RANGE_LEAST_MS = 10_000;

/** Returns the time range of a zoom, extended to the shortest range that is drawn. */
export function zoomed({ fromMs, toMs }: TimeSpan): TimeSpan {
  const lacks = Math.max(0, RANGE_LEAST_MS - (toMs - fromMs));
  return { fromMs: fromMs - Math.floor(lacks / 2), toMs: toMs + Math.ceil(lacks / 2) };
}

/** Returns why a time range cannot be shown, or null. */
export function explainInvalidTimeRange({ fromMs, toMs }: TimeSpan): string | null {
  if (!(fromMs < toMs)) return 'Must be later';
  return toMs - fromMs > RANGE_MOST_DAYS * DAY_MS ? `${RANGE_MOST_DAYS} days at most` : null;
}

/** Returns a range twice as long around the same middle, within now and the longest range. */
export function widened({ fromMs, toMs }: TimeSpan, nowMs: number): TimeSpan {
  const half = (toMs - fromMs) / 2;
  const end = Math.ceil(Math.max(toMs, Math.min(toMs + half, nowMs)));
  const begin = Math.floor(fromMs - half);
  return { fromMs: Math.max(begin, end - RANGE_MOST_DAYS * DAY_MS), toMs: end };
}

const TIME_SHIFTS = ['none', 'week', 'before-deploy'] as const;
export type TimeShift = (typeof TIME_SHIFTS)[number];
export const NEW_ANNOTATION = 'new';

export type DashboardView = {
  /** An ID; '' = the first environment of the team. */
  environment: string;
  /** A range that ends now and moves on, or a fixed range. */
  range: RangeId | TimeSpan;
  against: TimeShift;
  scale: ScaleKind;
  quantiles: QuantileId[];
  instances: boolean;
  /** The deployment and the annotation whose drawer is open. */
  deploy: string;
  note: string;
  /** The service that is shown alone and larger; '' = all services. */
  alone: string;
  /** The service whose latency is split by a label; null = none. */
  split: { service: string; label: string } | null;
};

/** The other quantiles are only numbers above the panel. */
const DEFAULT_QUANTILES: QuantileId[] = ['p99'];
export const DEFAULT_DASHBOARD_VIEW: DashboardView = {
  environment: '',
  range: '4h',
  against: 'none',
  scale: 'auto',
  quantiles: DEFAULT_QUANTILES,
  instances: false,
  deploy: '',
  note: '',
  alone: '',
  split: null,
};

const field = <T extends z.ZodMiniType>(type: T) => z.catch(z.optional(type), undefined);
const name = z.string().check(z.maxLength(80));
/** ISO 8601, as links of Slowpath have it, or milliseconds from other programs. */
const moment = z.union([z.number(), z.string().check(z.maxLength(40))]);

const searchSchema = z.object({
  env: field(name),
  range: field(z.enum(RANGES)),
  from: field(moment),
  to: field(moment),
  against: field(z.enum(TIME_SHIFTS)),
  scale: field(z.enum(['auto', 'log', 'linear'])),
  q: field(z.string().check(z.maxLength(40))),
  inst: field(z.literal(true)),
  deploy: field(name),
  note: field(name),
  alone: field(name),
  split: field(name),
  by: field(z.string().check(z.maxLength(200))),
});
export type DashboardSearch = z.infer<typeof searchSchema>;

export function readDashboardSearch(search: Record<string, unknown>): DashboardSearch {
  return searchSchema.parse(search);
}

function momentOf(value: number | string | undefined): number {
  const at = typeof value === 'string' ? Date.parse(value) : (value ?? NaN);
  // A value outside the range of Date is invalid; times before 2000 are invalid.
  return at > Date.UTC(2000) && at < Date.UTC(2200) ? Math.floor(at) : NaN;
}

function quantilesOf(value: string | undefined): QuantileId[] {
  const asked = new Set(value?.split(','));
  const found = QUANTILES.filter((id) => asked.has(id));
  return found.length > 0 ? found : DEFAULT_QUANTILES;
}

export function dashboardViewOf(search: DashboardSearch): DashboardView {
  const [fromMs, toMs] = [momentOf(search.from), momentOf(search.to)];
  return {
    environment: search.env ?? '',
    range: fromMs < toMs ? { fromMs, toMs } : (search.range ?? DEFAULT_DASHBOARD_VIEW.range),
    against: search.against ?? 'none',
    scale: search.scale ?? 'auto',
    quantiles: quantilesOf(search.q),
    instances: search.inst ?? false,
    deploy: search.deploy ?? '',
    note: search.note ?? '',
    alone: search.alone ?? '',
    split: search.split && search.by ? { service: search.split, label: search.by } : null,
  };
}

const isoOf = (atMs: number): string => new Date(atMs).toISOString().replace('.000Z', 'Z');

export function dashboardSearchOf(view: DashboardView): DashboardSearch {
  const { range } = view;
  const unless = <T>(value: T, usual: T): T | undefined => (value === usual ? undefined : value);
  const quantiles = view.quantiles.join(',');
  return {
    env: unless(view.environment, ''),
    range: typeof range === 'string' ? unless(range, '4h') : undefined,
    from: typeof range === 'string' ? undefined : isoOf(range.fromMs),
    to: typeof range === 'string' ? undefined : isoOf(range.toMs),
    against: unless(view.against, 'none'),
    scale: unless(view.scale, 'auto'),
    q: unless(quantiles, DEFAULT_QUANTILES.join(',')),
    inst: view.instances || undefined,
    deploy: unless(view.deploy, ''),
    note: unless(view.note, ''),
    alone: unless(view.alone, ''),
    split: view.split?.service,
    by: view.split?.label,
  };
}

const sameRange = (a: DashboardView['range'], b: DashboardView['range']): boolean =>
  typeof a === 'string' || typeof b === 'string'
    ? a === b
    : a.fromMs === b.fromMs && a.toMs === b.toMs;

/**
 * Returns whether a change is a new history entry: another time range, environment or open drawer
 * is; display settings are not.
 */
export const isDashboardStep = (before: DashboardView, after: DashboardView): boolean =>
  before.environment !== after.environment ||
  before.deploy !== after.deploy ||
  before.note !== after.note ||
  before.alone !== after.alone ||
  !sameRange(before.range, after.range);
