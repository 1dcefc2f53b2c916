import { keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query';
import { asBytes, calls, isServedFromSnapshot } from '../../../api';
import { readDashboard, type Dashboard } from '../../../engine/dashboard/dashboard-file';
import { mergeNewCells, withRows } from '../../../engine/dashboard/dashboard-merge';
import { LATE_MS, spanOf, type TimeSpan } from '../../../engine/dashboard/time-grid';
import { RANGE_MS, type DashboardView, type RangeId } from './dashboard-url';

/** How often a board that goes on is asked for again: about as often as it has a new point. */
export const LIVE_MS: Record<RangeId, number> = {
  '1h': 15_000,
  '4h': 15_000,
  '24h': 60_000,
  '7d': 300_000,
  '30d': 900_000,
};

/** So many rows are asked for at once: more than a window shows. */
export const PAGE_ROWS = 24;
/** Rows that were read further down are noted as long as they may stand on the screen. */
const ROWS_GC_MS = 60_000;
/** The server answers no more at once. */
const SERVICES_MOST = 50;

export type DashboardRequest = Pick<
  DashboardView,
  'environment' | 'range' | 'against' | 'instances' | 'split'
>;

// How far the server's clock is ahead of this one: "the last hour" is the server's.
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
    // Columns are never compared; what is new is new.
    structuralSharing: false,
    staleTime: 10_000,
  });

export type PanelsRequest = {
  /** Its id. */
  environment: string;
  services: string[];
  span: TimeSpan;
};

/** Some services in a fixed range, for a page that is not the dashboard. */
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

/** `environment` is an id, or '' for the usual one. */
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

/** Now by the server's clock, as of its last answer. */
export const serverNow = (): number => Date.now() + aheadMs;

function spanNow(range: DashboardView['range']): TimeSpan {
  const now = serverNow();
  return typeof range === 'string' ? { fromMs: now - RANGE_MS[range], toMs: now } : range;
}

const loadedIds = (board: Dashboard): string[] =>
  board.rows.flatMap(({ loaded, service }) => (loaded ? [service.id] : []));

/** The rows on top at once; those further down that were shown already with them. */
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

/** The remaining rows, requested in the same pages when a dashboard is snapshotted and when it is shown. */
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
    return board; // they were not frozen, and say so where they would stand
  }
}

/** Has every row of a board read, so that all of them are part of what is frozen. */
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

/** The board with the rows of these services too; null where the server answered on another grid. */
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

/** So many times newer cells are put behind those that are shown; then the whole is asked for once. */
const PARTS_MOST = 20;

/** What is shown with the cells that came since, or null: then the whole has to be asked for. */
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
    // Which parts take most time can differ between time ranges.
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
  // Late samples: the server did not leave out what was shown before.
  return newest && (newest.grid.points < points ? mergeNewCells(shown, newest) : newest);
}

/** Puts rows that came into sight on the board that is shown. */
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

/** The view with its range held where the board that is shown ends: asked again, it is the same board. */
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

/** A token that may only send. */
export const createUploadToken = (team_id: string) =>
  calls.tokensCreate({
    path: { team_id },
    body: { name: 'metrics', scopes: ['upload'], expires_in_days: null },
  });
