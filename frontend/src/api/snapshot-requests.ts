/**
 * Two ways to know which query a request belongs to, by the one thing that goes with it: the signal a query hands to its
 * calls. Of a page's own queries it is noted what they asked for (*Add to report* freezes just that). The queries of a
 * frozen view are led to its recording: they are answered from there or not at all, never from the network.
 */
import { QueryClient, hashKey, type QueryClientConfig, type QueryKey } from '@tanstack/react-query';

/** One answer of the API as it was recorded; also that something is not there is an answer. */
export type RecordedResponse = {
  status: number;
  mediaType: string;
  bytes: Uint8Array<ArrayBuffer>;
};

/** The answers of one frozen view, by request: the path below `/api/v1` with its query in order. */
export type RecordedResponses = ReadonlyMap<string, RecordedResponse>;

const BASE = '/api/v1';
/**
 * Moments that move with the clock: a page that asks for "the last hour" asks for another one each time. And what names the
 * cause of a range of commits, which earlier versions did by functions.
 */
const MOVING = /^(from|to|file|function|\w+n_id)$/;

const asked = new WeakMap<AbortSignal, Set<string>>();
const led = new WeakMap<AbortSignal, RecordedResponses>();
const answering = new WeakMap<Request, RecordedResponses>();

/** A request as recordings name it; the requesting team is not part of it. Null for what is not of the API. */
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

/** The same request whatever its time: used only where one recorded answer alone fits. */
function timeless(request: string): string {
  const url = new URL(request, 'http://recorded.invalid');
  return named(
    url.pathname,
    [...url.searchParams].filter(([name]) => !MOVING.test(name)),
  );
}

/** Called for each request of the API's client, before it goes out. */
export function recordRequest(request: Request, signal: AbortSignal | null | undefined): void {
  if (!signal) return;
  const answers = led.get(signal);
  if (answers) answering.set(request, answers);
  const name = request.method === 'GET' ? requestOf(request.url) : null;
  if (name !== null) asked.get(signal)?.add(name);
}

/** Whether what is asked with this signal comes from a recording: nothing of now may be learnt from it. */
export const isServedFromSnapshot = (signal: AbortSignal | undefined): boolean =>
  signal !== undefined && led.has(signal);

/** The recorded answer of a request; 'missing' when its view has none, null for requests that are not of a frozen view. */
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

/** Every query function goes through `around` once. */
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

/** A client that knows of each of its queries what it asked the API for. */
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
    // Of a list, later pages stand beside the first.
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

/** That there is none, or not yet, is what a page shows too. */
const isNothing = (error: unknown): boolean =>
  [404, 409].includes((error as { status?: number } | null)?.status ?? 0);

/**
 * What the queries shown now asked for, each once and in order: the GET requests behind what is on the screen.
 * A query may stand for another that is shown (`meta.beside`, a key): parts that were read on demand.
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

/** True while something shown is still being read: the page is not complete yet. */
export const isReading = (client: QueryClient): boolean =>
  client.getQueryCache().findAll({ type: 'active', fetchStatus: 'fetching' }).length > 0;

/**
 * A client of a frozen view. It reads each answer once from the recording, needs no network, and refuses every change.
 * @param refused what a change is answered with
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
