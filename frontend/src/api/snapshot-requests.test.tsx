import {
  InfiniteQueryObserver,
  QueryObserver,
  type QueryClient,
  type QueryObserverOptions,
} from '@tanstack/react-query';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import { at, page, problem, server } from '../testing/mock-api';
import { makeNotInSnapshotProblem } from './api-client';
import {
  createSnapshotClient,
  createRecordingClient,
  isServedFromSnapshot,
  requestOf,
  listVisibleRequests,
  type RecordedResponses,
} from './snapshot-requests';
import * as calls from './generated/sdk.gen';
import { writeReportBundle } from '../testing/report-bundle-writer';
import { readReportBundle } from './report-bundle';

const ID = '00000000-0000-4000-8000-000000000001';

const services = {
  queryKey: ['service', 'list'],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    calls.servicesList({ query: { limit: 200 }, signal }),
};

async function shown(client: QueryClient, options: QueryObserverOptions): Promise<() => void> {
  const observer = new QueryObserver(client, { retry: false, ...options });
  const stop = observer.subscribe(() => {});
  await expect.poll(() => observer.getCurrentResult().isFetching).toBe(false);
  return stop;
}

const json = (value: object, status = 200) => ({
  status,
  mediaType: 'application/json',
  bytes: new TextEncoder().encode(JSON.stringify(value)),
});
const answers = (responses: Record<string, ReturnType<typeof json>>): RecordedResponses =>
  new Map(Object.entries(responses));

describe('requestOf', () => {
  it('normalizes a request: path below the API, sorted query, no team', () => {
    expect(requestOf('http://here/api/v1/builds?limit=100&a=2&a=1&team=north')).toBe(
      '/builds?a=1&a=2&limit=100',
    );
    expect(requestOf('/api/v1/span-sets/1/traces/%40a?name=x%20y~')).toBe(
      '/span-sets/1/traces/@a?name=x+y%7E',
    );
    expect(requestOf('/favicon.svg')).toBeNull();
  });
});

describe('listVisibleRequests', () => {
  it('lists the requests of queries in use', async () => {
    const client = createRecordingClient();
    const stop = await shown(client, services);
    expect(listVisibleRequests(client)).toEqual(['/services?limit=200']);
    stop();
    expect(listVisibleRequests(client)).toEqual([]);
  });

  it('lists the last request of each query and all pages of a list', async () => {
    const cursors: (string | null)[] = [];
    server.use(
      http.get(at('/builds'), ({ request }) => {
        const cursor = new URL(request.url).searchParams.get('cursor');
        cursors.push(cursor);
        return HttpResponse.json({ items: [], next_cursor: cursor ? null : 'two' });
      }),
    );
    const client = createRecordingClient();
    const observer = new InfiniteQueryObserver(client, {
      queryKey: ['build', 'list'],
      queryFn: ({ pageParam, signal }) =>
        calls.buildsList({ query: { cursor: pageParam, limit: 1 }, signal }),
      initialPageParam: null as string | null,
      getNextPageParam: (last: { next_cursor?: string | null }) => last.next_cursor,
    });
    observer.subscribe(() => {});
    await expect.poll(() => observer.getCurrentResult().isSuccess).toBe(true);
    await observer.fetchNextPage();
    expect(cursors).toEqual([null, 'two']);
    expect(listVisibleRequests(client)).toEqual(['/builds?cursor=two&limit=1', '/builds?limit=1']);
  });

  it('includes requests with a 404 response but no other failures', async () => {
    server.use(
      http.get(at('/builds/:id/verdict'), () => problem(404, {})),
      http.get(at('/services'), () => problem(503, {})),
    );
    const client = createRecordingClient();
    await shown(client, {
      queryKey: ['judgement'],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        calls.buildsVerdict({ path: { build_id: ID }, signal }),
    });
    await shown(client, services);
    expect(listVisibleRequests(client)).toEqual([`/builds/${ID}/verdict`]);
  });

  it('includes requests sent on demand beside a visible query', async () => {
    const client = createRecordingClient();
    await shown(client, services);
    const beside = (key: string[]) =>
      client.query({
        queryKey: ['part', ...key],
        queryFn: ({ signal }) => calls.buildsList({ query: { search: key.join(' ') }, signal }),
        meta: { beside: key },
      });
    await beside(['service', 'list']);
    await beside(['something', 'else']);
    expect(listVisibleRequests(client)).toEqual([
      '/builds?search=service+list',
      '/services?limit=200',
    ]);
  });
});

describe('snapshot client', () => {
  const client = (responses: Record<string, ReturnType<typeof json>>) =>
    createSnapshotClient(answers(responses), makeNotInSnapshotProblem);

  it('responds from the snapshot, never from the network', async () => {
    let reached = 0;
    server.use(
      http.get(at('/services'), () => {
        reached += 1;
        return page([]);
      }),
    );
    const frozen = client({ '/services?limit=200': json({ items: [{ id: 'kept' }] }) });
    await expect(frozen.query(services)).resolves.toEqual({ items: [{ id: 'kept' }] });
    await expect(
      frozen.query({
        ...services,
        queryKey: ['x'],
        queryFn: ({ signal }) => calls.jobsList({ signal }),
      }),
    ).rejects.toMatchObject({ slug: 'not-recorded' });
    expect(reached).toBe(0);
    // A page outside a snapshot still sends requests.
    await expect(createRecordingClient().query(services)).resolves.toEqual({
      items: [],
      next_cursor: null,
    });
    expect(reached).toBe(1);
  });

  it('returns a recorded error response', async () => {
    const frozen = client({
      '/services?limit=200': json({ type: 'urn:slowpath:no-repository', title: 'None' }, 404),
    });
    await expect(frozen.query(services)).rejects.toMatchObject({
      slug: 'no-repository',
      status: 404,
    });
  });

  it('ignores the times of a request if exactly one recorded response fits', async () => {
    const board = (from: string) => ({
      queryKey: ['board', from],
      queryFn: ({ signal }: { signal: AbortSignal }) => {
        expect(isServedFromSnapshot(signal)).toBe(true);
        return calls.dashboardGet({ query: { from, to: '9' }, signal, parseAs: 'json' });
      },
    });
    const one = json({ one: 1 });
    await expect(client({ '/dashboard?from=1&to=2': one }).query(board('3'))).resolves.toEqual({
      one: 1,
    });
    await expect(
      client({ '/dashboard?from=1&to=2': one, '/dashboard?from=4&to=5': one }).query(board('3')),
    ).rejects.toMatchObject({ slug: 'not-recorded' });
  });

  it('rejects every change and never refetches', async () => {
    const frozen = client({});
    const change = frozen
      .getMutationCache()
      .build(frozen, frozen.defaultMutationOptions({ mutationFn: () => Promise.resolve('done') }));
    await expect(change.execute(undefined)).rejects.toMatchObject({ slug: 'not-recorded' });
    expect(frozen.defaultQueryOptions({ ...services, refetchInterval: 5 })).toMatchObject({
      refetchInterval: false,
      staleTime: Infinity,
      retry: false,
      networkMode: 'always',
    });
  });
});

describe('readReportBundle', () => {
  const packed = () =>
    writeReportBundle({ title: 'Recorded' }, [
      {
        block: 'a',
        request: '/services',
        mediaType: 'application/json',
        bytes: Uint8Array.of(1, 2),
      },
      { block: 'b', request: '/dashboard', mediaType: 'x/y', bytes: Uint8Array.of(3) },
    ]);

  it('reads the responses of each block', () => {
    const { report, answersOf } = readReportBundle<{ title: string }>(packed());
    expect(report.title).toBe('Recorded');
    expect([...(answersOf('a').get('/services')?.bytes ?? [])]).toEqual([1, 2]);
    expect(answersOf('b').get('/dashboard')).toMatchObject({ mediaType: 'x/y', status: 200 });
    expect(answersOf('a').has('/dashboard')).toBe(false);
    expect(answersOf('c').size).toBe(0);
  });

  it('reports a truncated file and an unknown format', () => {
    expect(() => readReportBundle(packed().slice(0, -1))).toThrow(/truncated/);
    expect(() => readReportBundle(packed().slice(0, 3))).toThrow(/truncated/);
    expect(() => readReportBundle(packed().slice(0, 40))).toThrow(/truncated/);
    const other = new TextEncoder().encode('    {"format":"slowpath.recording/2","answers":[]}');
    new DataView(other.buffer).setUint32(0, other.length - 4, true);
    expect(() => readReportBundle(other.buffer)).toThrow(/cannot read/);
  });
});
