/**
 * Relates requests to queries by the abort signal that a query passes to its requests. The requests
 * of a page's queries are recorded, so that *Add to report* can take a snapshot of them. The
 * queries of a page in a report get their responses from the snapshot only, never from the network.
 */
import { QueryClient, hashKey, type QueryClientConfig, type QueryKey } from '@tanstack/react-query';

/** One recorded response of the API; an error response (not found) is recorded too. */
export type RecordedResponse = {
  status: number;
  mediaType: string;
  bytes: Uint8Array<ArrayBuffer>;
};

/**
 * The responses of one snapshot, by request: the path below `/api/v1` with its query parameters
 * sorted.
 */
export type RecordedResponses = ReadonlyMap<string, RecordedResponse>;

const BASE = '/api/v1';
/**
 * Query parameters that may differ from those in the snapshot: times that depend on the current
 * time ("the last hour"), and the subject of a commit range (`regression_id`, `comparison_id`),
 * which earlier versions named by functions.
 */
const MOVING = /^(from|to|file|function|\w+n_id)$/;

const asked = new WeakMap<AbortSignal, Set<string>>();
const led = new WeakMap<AbortSignal, RecordedResponses>();
const answering = new WeakMap<Request, RecordedResponses>();

/**
 * Returns the key of a request in a snapshot, without the team; null if the URL is not of the API.
 */
export function requestOf(address: string): string | null {
  const url = new URL(address, 'http://recorded.invalid');
  const at = url.pathname.indexOf(`${BASE}/`);
  if (at < 0) return null;
  const query = [...url.searchParams].filter(([name]) => name !== 'team');
  return named(decodeURIComponent(url.pathname.slice(at + BASE.length)), query);
}

function named(path: string, query: [string, string][]): string {
  const sorted = [...query].sort(([a, x], [b, y]) => order(a, b) || order(x, y));
  const tail = new URLSearchParams(sorted).toString();
  return tail === '' ? path : `${path}?${tail}`;
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Removes the parameters that may differ. Used only if exactly one recorded response matches then.
 */
function timeless(request: string): string {
  const url = new URL(request, 'http://recorded.invalid');
  return named(
    url.pathname,
    [...url.searchParams].filter(([name]) => !MOVING.test(name)),
  );
}

/** Records a request of the API client before it is sent. */
export function recordRequest(request: Request, signal: AbortSignal | null | undefined): void {
  if (!signal) return;
  const answers = led.get(signal);
  if (answers) answering.set(request, answers);
  const name = request.method === 'GET' ? requestOf(request.url) : null;
  if (name !== null) asked.get(signal)?.add(name);
}

/**
 * Returns whether requests with this signal are answered from a snapshot, which has no current
 * data.
 */
export const isServedFromSnapshot = (signal: AbortSignal | undefined): boolean =>
  signal !== undefined && led.has(signal);

/**
 * Returns the recorded response of a request; 'missing' if the snapshot has none, null if the
 * request is not of a snapshot.
 */
export function findRecordedResponse(request: Request): Response | 'missing' | null {
  const answers = answering.get(request);
  if (!answers) return null;
  const name = request.method === 'GET' ? requestOf(request.url) : null;
  const found = name === null ? undefined : lookUp(answers, name);
  if (!found) return 'missing';
  const { status, bytes, mediaType } = found;
  return new Response(bytes.length === 0 && status === 204 ? null : bytes, {
    status,
    headers: { 'Content-Type': mediaType },
  });
}

function lookUp(answers: RecordedResponses, request: string): RecordedResponse | undefined {
  const exact = answers.get(request);
  if (exact) return exact;
  const wanted = timeless(request);
  const alike = [...answers].filter(([name]) => timeless(name) === wanted);
  return alike.length === 1 ? alike[0]?.[1] : undefined;
}

type AnyFunction = (context: FunctionContext) => unknown;
type FunctionContext = { queryKey: QueryKey; signal: AbortSignal; pageParam?: unknown };

/** Wraps each query function in `around` once, and adds the `always` options to each query. */
function throughEvery(
  client: QueryClient,
  around: (run: AnyFunction) => AnyFunction,
  always: object,
): void {
  const wrapped = new WeakMap<object, AnyFunction>();
  const plain = client.defaultQueryOptions.bind(client) as (options: object) => object;
  client.defaultQueryOptions = ((options: object) => {
    const { queryFn, ...rest } = plain(options) as { queryFn?: unknown };
    if (typeof queryFn !== 'function') return { ...rest, queryFn, ...always };
    const run = queryFn as AnyFunction;
    const known = wrapped.get(run) ?? around(run);
    wrapped.set(run, known);
    wrapped.set(known, known);
    return { ...rest, queryFn: known, ...always };
  }) as typeof client.defaultQueryOptions;
}

const noted = new WeakMap<QueryClient, Map<string, ReadonlySet<string>>>();

/** Creates a client that records which requests each of its queries sent. */
export function createRecordingClient(config?: QueryClientConfig): QueryClient {
  const client = new QueryClient(config);
  const requests = new Map<string, ReadonlySet<string>>();
  noted.set(client, requests);
  throughEvery(client, (run) => noting(run, requests), {});
  client.getQueryCache().subscribe((event) => {
    if (event.type === 'removed') requests.delete(event.query.queryHash);
  });
  return client;
}

function noting(run: AnyFunction, requests: Map<string, ReadonlySet<string>>): AnyFunction {
  return async (context) => {
    const hash = hashKey(context.queryKey);
    // The requests of later pages of a list are added to those of the first page.
    const further = context.pageParam !== undefined && context.pageParam !== null;
    const names = new Set(further ? requests.get(hash) : []);
    asked.set(context.signal, names);
    try {
      const answer = await run(context);
      requests.set(hash, names);
      return answer;
    } catch (error) {
      if (isNothing(error)) requests.set(hash, names);
      throw error;
    }
  };
}

/** Returns whether the error means that data does not exist (yet), which a page shows too. */
const isNothing = (error: unknown): boolean =>
  [404, 409].includes((error as { status?: number } | null)?.status ?? 0);

/**
 * Returns the GET requests of all queries that are shown, without duplicates and sorted.
 * Includes inactive queries whose `meta.beside` is the key of a query that is shown: parts that
 * were read on demand.
 */
export function listVisibleRequests(client: QueryClient): string[] {
  const requests = noted.get(client);
  const cache = client.getQueryCache();
  const active = cache
    .findAll({ type: 'active' })
    .filter(({ state }) => state.status === 'success' || isNothing(state.error));
  const shown = new Set(active.map(({ queryHash }) => queryHash));
  const beside = cache.findAll({ type: 'inactive' }).filter(({ meta, state }) => {
    const key = meta?.beside as QueryKey | undefined;
    return state.status === 'success' && key !== undefined && shown.has(hashKey(key));
  });
  const names = [...active, ...beside].flatMap(({ queryHash }) => [
    ...(requests?.get(queryHash) ?? []),
  ]);
  return [...new Set(names)].sort(order);
}

/** Returns whether a query that is shown is still being fetched: the page is not complete yet. */
export const isReading = (client: QueryClient): boolean =>
  client.getQueryCache().findAll({ type: 'active', fetchStatus: 'fetching' }).length > 0;

/**
 * Creates the client of a page in a report. It reads each response once from the snapshot, needs no
 * network, and rejects every mutation.
 * @param refused returns the error of a mutation
 */
export function createSnapshotClient(
  answers: RecordedResponses,
  refused: () => Error,
): QueryClient {
  const client = new QueryClient();
  throughEvery(
    client,
    (run) => (context) => {
      led.set(context.signal, answers);
      return run(context);
    },
    {
      staleTime: Infinity,
      gcTime: Infinity,
      retry: false,
      retryOnMount: false,
      refetchInterval: false,
      refetchOnMount: false,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      networkMode: 'always',
    },
  );
  const plain = client.defaultMutationOptions.bind(client) as (options?: object) => object;
  client.defaultMutationOptions = ((options?: object) => ({
    ...plain(options),
    mutationFn: () => Promise.reject(refused()),
    retry: false,
    networkMode: 'always',
  })) as typeof client.defaultMutationOptions;
  return client;
}
