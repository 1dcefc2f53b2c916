import { keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query';
import { asBytes, calls, isServedFromSnapshot } from '../../../api';
import { readDashboard, type Dashboard } from '../../../engine/dashboard/dashboard-file';
import { mergeNewCells, withRows } from '../../../engine/dashboard/dashboard-merge';
import { LATE_MS, spanOf, type TimeSpan } from '../../../engine/dashboard/time-grid';
import { RANGE_MS, type DashboardView, type RangeId } from './dashboard-url';

/** How often a live dashboard is refreshed: about as often as it has a new point. */
export const LIVE_MS: Record<RangeId, number> = {
  '1h': 15_000,
  '4h': 15_000,
  '24h': 60_000,
  '7d': 300_000,
  '30d': 900_000,
};

/** The number of rows in one request: more than a window shows. */
export const PAGE_ROWS = 24;
/** How long the responses for rows further down stay in the cache. */
const ROWS_GC_MS = 60_000;
/** The most services that the server returns in one response. */
const SERVICES_MOST = 50;

export type DashboardRequest = Pick<
  DashboardView,
  'environment' | 'range' | 'against' | 'instances' | 'split'
>;

// How far the server's clock is ahead of the browser's: "the last hour" ends at the server's time.
let aheadMs = 0;
const SKEW_OF_NOTE_MS = 5_000;

function responseTime(board: Dashboard): Dashboard {
  const ahead = board.nowMs === 0 ? 0 : board.nowMs - Date.now();
  aheadMs = Math.abs(ahead) > SKEW_OF_NOTE_MS ? ahead : 0;
  return board;
}

const dashboardKey = ({ environment, range, against, instances, split }: DashboardRequest) =>
  ['dashboard', { environment, range, against, instances, split }] as const;

export const dashboardQuery = (wanted: DashboardRequest) =>
  queryOptions({
    queryKey: dashboardKey(wanted),
    queryFn: async ({ signal, client }) => {
      const shown = client.getQueryData<Dashboard>(dashboardKey(wanted));
      return (
        (shown && (await withNewest(wanted, shown, signal))) ??
        (await wholeDashboard(wanted, shown, signal))
      );
    },
    placeholderData: keepPreviousData,
    // Columns are not compared with those of the previous response.
    structuralSharing: false,
    staleTime: 10_000,
  });

export type PanelsRequest = {
  /** An ID. */
  environment: string;
  services: string[];
  span: TimeSpan;
};

/** Loads some services in a fixed time range, for a page other than the dashboard. */
export const panelsQuery = ({ environment, services, span }: PanelsRequest) =>
  queryOptions({
    queryKey: ['dashboard', 'panels', environment, services, span],
    queryFn: ({ signal }) => {
      const wanted: DashboardRequest = {
        environment,
        range: span,
        against: 'none',
        instances: false,
        split: null,
      };
      return requestDashboard(wanted, span, { services }, signal);
    },
    structuralSharing: false,
    staleTime: 10_000,
  });

type Part = {
  services?: string[];
  rows?: number;
  step_ms?: number;
  since_ms?: number;
  known_until_ms?: number;
};

/** `environment` is an ID; '' = the default environment. */
async function requestDashboard(
  wanted: DashboardRequest,
  span: TimeSpan,
  part: Part,
  signal?: AbortSignal,
) {
  const { environment, against, instances, split } = wanted;
  const bytes = await calls.dashboardGet({
    query: {
      environment_id: environment || undefined,
      from: String(Math.round(span.fromMs)),
      to: String(Math.round(span.toMs)),
      time_shift: against,
      instances,
      split_service: split?.service,
      split_label: split?.label,
      ...part,
    },
    ...(signal && { signal }),
    ...asBytes,
  });
  const board = readDashboard(bytes as unknown as ArrayBuffer);
  return isServedFromSnapshot(signal) ? board : responseTime(board);
}

/** Returns the server's current time, estimated from its last response. */
export const serverNow = (): number => Date.now() + aheadMs;

function spanNow(range: DashboardView['range']): TimeSpan {
  const now = serverNow();
  return typeof range === 'string' ? { fromMs: now - RANGE_MS[range], toMs: now } : range;
}

const loadedIds = (board: Dashboard): string[] =>
  board.rows.flatMap(({ loaded, service }) => (loaded ? [service.id] : []));

/** Loads the first page of rows, then the rows further down that were already loaded. */
async function wholeDashboard(
  wanted: DashboardRequest,
  shown: Dashboard | undefined,
  signal: AbortSignal,
) {
  const rows = PAGE_ROWS;
  const board = await requestDashboard(wanted, spanNow(wanted.range), { rows }, signal);
  const before = new Set(shown ? loadedIds(shown) : []);
  const more = board.rows
    .filter(({ loaded, service }) => !loaded && before.has(service.id))
    .map(({ service }) => service.id);
  if (isServedFromSnapshot(signal)) return withRecorded(wanted, board, signal);
  return (await withServices(wanted, board, more, signal)) ?? board;
}

/**
 * Returns the IDs of the remaining rows; a snapshot records the same requests as its page sends.
 */
const idsBelow = (board: Dashboard): string[] =>
  board.rows.slice(PAGE_ROWS).map(({ service }) => service.id);

async function withRecorded(
  wanted: DashboardRequest,
  board: Dashboard,
  signal: AbortSignal,
): Promise<Dashboard> {
  try {
    return (await withServices(wanted, board, idsBelow(board), signal)) ?? board;
  } catch {
    return board; // A snapshot without these rows shows that they are missing.
  }
}

/** Loads all rows of a dashboard, so that its snapshot contains them. */
export async function readAllRows(client: QueryClient, wanted: DashboardRequest): Promise<void> {
  const board = await client.query(dashboardQuery(wanted));
  const ids = idsBelow(board);
  if (ids.length === 0) return;
  await client.query({
    queryKey: ['dashboard-rows', wanted, 'all', board.nowMs],
    queryFn: ({ signal }) => withServices(wanted, board, ids, signal),
    structuralSharing: false,
    retry: false,
    gcTime: ROWS_GC_MS,
    meta: { beside: dashboardKey(wanted) },
  });
}

/** Returns the dashboard with rows of these services; null if the server used another grid. */
async function withServices(
  wanted: DashboardRequest,
  board: Dashboard,
  ids: string[],
  signal?: AbortSignal,
): Promise<Dashboard | null> {
  const { fromMs, stepMs, points } = board.grid;
  const span = { fromMs: fromMs - stepMs, toMs: fromMs + (points - 1) * stepMs };
  const environment = board.environment?.id ?? '';
  const pages = await Promise.all(
    parted(ids).map((services) =>
      requestDashboard({ ...wanted, environment }, span, { services, step_ms: stepMs }, signal),
    ),
  );
  return pages.reduce<Dashboard | null>((whole, page) => whole && withRows(whole, page), board);
}

const parted = (ids: string[]): string[][] =>
  Array.from({ length: Math.ceil(ids.length / SERVICES_MOST) }, (_, at) =>
    ids.slice(at * SERVICES_MOST, (at + 1) * SERVICES_MOST),
  );

/** How often newer cells are appended before the whole dashboard is requested again. */
const PARTS_MOST = 20;

/** Returns the dashboard with newer cells appended; null if all of it must be requested again. */
async function withNewest(
  wanted: DashboardRequest,
  shown: Dashboard,
  signal: AbortSignal,
): Promise<Dashboard | null> {
  const { stepMs, points, fromMs } = shown.grid;
  const lastMs = fromMs + (points - 1) * stepMs;
  const span = spanNow(wanted.range);
  const again = Math.ceil(Math.max(LATE_MS, 2 * stepMs) / stepMs);
  const since_ms = lastMs - again * stepMs;
  const grows =
    typeof wanted.range === 'string' &&
    wanted.against !== 'before-deploy' &&
    // The values with the most time can differ between time ranges.
    wanted.split === null &&
    shown.empty === null &&
    shown.parts < PARTS_MOST &&
    span.toMs - since_ms < (points * stepMs) / 2 &&
    since_ms + stepMs < span.toMs;
  if (!grows) return null;
  const environment = shown.environment?.id ?? '';
  const part = { step_ms: stepMs, since_ms, known_until_ms: shown.nowMs };
  const [first, ...others] = await Promise.all(
    parted(loadedIds(shown)).map((services) =>
      requestDashboard({ ...wanted, environment }, span, { ...part, services }, signal),
    ),
  );
  if (!first) return null;
  const newest = others.reduce<Dashboard | null>((all, each) => all && withRows(all, each), first);
  // With late samples, the response has all points and replaces the dashboard.
  return newest && (newest.grid.points < points ? mergeNewCells(shown, newest) : newest);
}

/** Loads rows that become visible, and adds them to the cached dashboard. */
export async function loadRows(
  client: QueryClient,
  wanted: DashboardRequest,
  ids: string[],
): Promise<void> {
  const shown = client.getQueryData<Dashboard>(dashboardKey(wanted));
  if (!shown) return;
  const page = await client.query({
    queryKey: ['dashboard-rows', wanted, ids, shown.nowMs],
    queryFn: ({ signal }) => withServices(wanted, shown, ids, signal),
    structuralSharing: false,
    retry: false,
    gcTime: ROWS_GC_MS,
    meta: { beside: dashboardKey(wanted) },
  });
  client.setQueryData<Dashboard>(dashboardKey(wanted), (now) =>
    now && page ? (withRows(now, page) ?? now) : now,
  );
}

/**
 * Returns the view with the time range of the dashboard as shown, so that a later request returns
 * the same data.
 */
export function snapshotView(client: QueryClient, view: DashboardView): DashboardView {
  const shown = client.getQueryData<Dashboard>(dashboardKey(view));
  return shown ? { ...view, range: spanOf(shown.grid) } : view;
}

export const setServiceOrder = (environment_id: string, service_ids: string[]) =>
  calls.serviceOrderSet({ path: { environment_id }, body: { service_ids } });
export const resetServiceOrder = (environment_id: string) =>
  calls.serviceOrderReset({ path: { environment_id } });

export const deploymentQuery = (deploy_id: string) =>
  queryOptions({
    queryKey: ['deployment', 'one', deploy_id],
    queryFn: ({ signal }) => calls.deploymentsGet({ path: { deployment_id: deploy_id }, signal }),
  });

export const deploymentsOfQuery = (service_id: string, environment_id: string) =>
  queryOptions({
    queryKey: ['deployment', 'list', service_id, environment_id],
    queryFn: ({ signal }) =>
      calls.deploymentsList({ query: { service_id, environment_id, limit: 200 }, signal }),
  });

export type AnnotationFields = {
  service_id: string | null;
  started_at: string;
  ended_at: string | null;
  text: string;
};
export const createAnnotation = (environment_id: string, words: AnnotationFields) =>
  calls.annotationsCreate({ body: { environment_id, ...words } });
export const updateAnnotation = (
  annotation_id: string,
  { started_at, ended_at, text }: AnnotationFields,
) => calls.annotationsUpdate({ path: { annotation_id }, body: { started_at, ended_at, text } });
export const deleteAnnotation = (annotation_id: string) =>
  calls.annotationsDelete({ path: { annotation_id } });

/** Creates a token that has only the upload scope. */
export const createUploadToken = (team_id: string) =>
  calls.tokensCreate({
    path: { team_id },
    body: { name: 'metrics', scopes: ['upload'], expires_in_days: null },
  });
