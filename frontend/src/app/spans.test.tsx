import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import { aComparison, aFinding, aResult, anArtifact } from '../testing/api-factories';
import { open } from '../testing/render';
import { at, problem, server } from '../testing/mock-api';
import {
  HOSTILE_NAME,
  aTraceOfSpans,
  anExplanation,
  spansOfOne,
  spansOfTwo,
} from '../testing/span-fixtures';

const TRACE = `/t/northwind/span-sets/s1/traces/${'aa'.repeat(16)}`;

function serve(): void {
  server.use(
    http.get(at('/artifacts/:id'), ({ params }) =>
      HttpResponse.json(anArtifact({ id: String(params.id), name: 'push.otlp.json' })),
    ),
    http.get(at('/span-sets/:id'), () => HttpResponse.json(spansOfOne())),
    http.get(at('/span-sets/:id/traces'), () =>
      HttpResponse.json({ items: spansOfOne().traces, total: 1 }),
    ),
    http.get(at('/span-sets/:id/traces/:trace'), () => HttpResponse.json(aTraceOfSpans())),
    http.get(at('/span-sets/:id/traces/:trace/gap-explanations'), () => HttpResponse.json([])),
    http.get(at('/comparisons/:id/results/spans'), () => HttpResponse.json(spansOfTwo())),
  );
}

/** A timeout that is longer than the interval of polling. */
const SOON = { timeout: 12_000 };

const tree = () => screen.findByRole('treegrid', { name: /Spans of distributor/ });

describe('Span set', () => {
  it('links to the Compare page with itself as a side, and marks Artifacts in the navigation', async () => {
    serve();
    open('/t/northwind/span-sets/s1');
    const compare = await screen.findByRole('link', { name: 'Compare with…' });
    expect(compare.getAttribute('href')).toContain('s1');
    expect(screen.getByRole('link', { name: 'Artifacts' })).toHaveAttribute('aria-current', 'page');
  });
});

describe('Trace waterfall', () => {
  it('shows the largest gap in the heading and a row per span, with HTML in names as text', async () => {
    serve();
    open(TRACE);
    expect(await screen.findByRole('heading', { level: 1 })).toHaveTextContent(
      '7 ms is a gap in distributor /api/v1/push between validate and Push',
    );
    const rows = within(await tree()).getAllByRole('row');
    expect(rows).toHaveLength(4);
    expect(rows[3]).toHaveTextContent(HOSTILE_NAME);
    expect(document.querySelector('img')).toBeNull();
  });

  it('selects and folds spans by mouse and keyboard, and keeps both in the address', async () => {
    serve();
    const { user, where } = open(TRACE);
    const grid = await tree();
    await user.click(within(grid).getByText(HOSTILE_NAME));
    await waitFor(() => expect(where()).toContain('span=2'));
    const panel = screen.getByRole('complementary', { name: 'Selected span' });
    expect(panel).toHaveTextContent('Ended with an error.');
    expect(panel).toHaveTextContent('Clock skew');
    expect(panel).toHaveTextContent(`http.route${HOSTILE_NAME}`);
    grid.focus();
    await user.keyboard('{ArrowUp}{ArrowUp}{ArrowLeft}');
    await waitFor(() => expect(where()).toContain('fold=r0'));
    expect(within(grid).getAllByRole('row')).toHaveLength(2);
    await user.keyboard('w');
    await waitFor(() => expect(where()).toContain('wfrom=0.2'));
  });

  it('shows why the trace could not be loaded', async () => {
    server.use(
      http.get(at('/span-sets/:id/traces/:trace'), () =>
        problem(404, { title: 'Not found', detail: 'There is no such trace in this file.' }),
      ),
    );
    open(TRACE);
    expect(await screen.findByRole('alert')).toHaveTextContent('no such trace');
  });
});

describe('Span set page', () => {
  it('links traces to the waterfall, and lists gaps, critical path, calls and attributes', async () => {
    serve();
    open('/t/northwind/span-sets/s1');
    const traces = await screen.findByRole('table', { name: 'All traces' }, SOON);
    expect(within(traces).getByRole('link')).toHaveAttribute(
      'href',
      `/t/northwind/span-sets/s1/traces/${'bb'.repeat(16)}`,
    );
    for (const name of [
      'Gaps by edge',
      'Critical path',
      'Calls per request',
      'Attributes of slow requests',
    ])
      expect(screen.getByRole('table', { name })).toBeInTheDocument();
    expect(
      await screen.findByRole('group', { name: 'Service calls, in request order' }),
    ).toHaveTextContent('ingester');
  });
});

describe('Spans of a comparison', () => {
  it('select the row of the clicked finding, and keep it in the address', async () => {
    serve();
    const finding = aFinding({
      kind: 'spans.gap',
      profile_kind: 'spans',
      subject: 'distributor//api/v1/push|validate|Push',
      sentence: 'p90 of the gap: 77 µs → 6.62 ms.',
      attributed_callers: [],
    });
    const comparison = aComparison({
      artifact_kinds: ['profiles', 'spans'],
      result: aResult({ findings: [finding], profile_kinds: [] }),
      views: [],
    });
    server.use(http.get(at('/comparisons/:id'), () => HttpResponse.json(comparison)));
    const { user, where } = open(`/t/northwind/comparisons/${comparison.id}`);
    await user.click(await screen.findByRole('button', { name: /p90 of the gap/ }));
    const gaps = await screen.findByRole('table', { name: 'Gaps by edge' });
    await waitFor(() => {
      expect(within(gaps).getByRole('row', { selected: true })).toHaveTextContent('×85.8');
    });
    expect(where()).toContain('edge=distributor');
    const calls = screen.getByRole('table', { name: 'Calls per request' });
    expect(calls).toHaveTextContent('makes more calls');
  });
});

describe('Service map', () => {
  it('shows the calls between services, and navigates from a service to the dashboard', async () => {
    const service = (id: string, name: string) => ({ id, name, slug: name });
    server.use(
      http.get(at('/environments'), () =>
        HttpResponse.json({
          items: [
            { id: 'e0', name: 'example' },
            { id: 'e1', name: 'production' },
          ],
          next_cursor: null,
        }),
      ),
      // Without an environment in the URL, the one in which calls were seen is shown.
      http.get(at('/environments/e0/service-order'), () =>
        HttpResponse.json({ services: [service('d', 'distributor')], source: 'name', edges: [] }),
      ),
      http.get(at('/environments/e1/service-order'), () =>
        HttpResponse.json({
          services: [service('d', 'distributor'), service('i', 'ingester')],
          source: 'spans',
          edges: [{ caller_id: 'd', callee_id: 'i', calls: 600, requests: 200, ratio: 3 }],
        }),
      ),
    );
    const { user, where } = open('/t/northwind/service-map');
    expect(
      await screen.findByRole('heading', { name: /distributor calls ingester 3\.00 times/ }),
    ).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: /ingester/ }));
    await waitFor(() => expect(where()).toContain('/dashboard?env=e1#service-i'));
  });
});

const explained = (changed: object = {}) => ({
  id: 'e1',
  artifact_id: 's1',
  trace_id: 'aa'.repeat(16),
  span: 0,
  gap: 0,
  state: 'done',
  problem: null,
  job_id: null,
  created_at: '2026-11-21T12:00:00Z',
  document: anExplanation(),
  ...changed,
});

describe('Gap explanation from an execution trace', () => {
  const path = at('/span-sets/:id/traces/:trace/gap-explanations');
  const panel = () => screen.findByRole('complementary', { name: 'Selected span' });

  it('is requested, awaited, and shown with goroutine states and a link to the trace', async () => {
    serve();
    let asked: unknown = null;
    let state = 'waiting';
    server.use(
      http.get(path, () =>
        HttpResponse.json(
          asked === null ? [] : [explained(state === 'done' ? {} : { state, document: null })],
        ),
      ),
      http.post(path, async ({ request }) => {
        asked = await request.json();
        return HttpResponse.json(explained({ state: 'waiting', document: null }), { status: 202 });
      }),
    );
    const { user } = open(`${TRACE}?span=0`);
    const aside = within(await panel());
    await user.click(await aside.findByRole('button', { name: 'Explain with an execution trace' }));
    expect(await aside.findByRole('status')).toHaveTextContent('Reading execution traces…');
    expect(asked).toEqual({ span: 0, gap: 0 });
    state = 'done';
    expect(
      await aside.findByText(/it was runnable and waited 6.0 ms for a P/u, {}, SOON),
    ).toBeVisible();
    const states = await aside.findByRole('table', { name: 'What the goroutine did in the gap' });
    expect(states).toHaveTextContent('waiting for a P, after: preempted');
    expect(states).toHaveTextContent(`behind ${HOSTILE_NAME} 90`);
    expect(states).toHaveTextContent('woken by main.answer');
    expect(aside.getByText(/found by the clock/u)).toBeVisible();
    expect(aside.getByRole('link', { name: 'exec.trace' })).toHaveAttribute(
      'href',
      '/t/northwind/execution-traces/t1',
    );
    expect(document.querySelector('img:not([role])')).toBeNull();
  });

  it('lists the traces that were read, and how to record one, when none explains the gap', async () => {
    serve();
    const looked = [
      { artifact_id: 't9', name: 'old.trace', reason: 'the trace has no wall clock' },
    ];
    const content = anExplanation({
      basis: 'nothing',
      reason: 'no-clock',
      sentence: 'This gap of 7.0 ms cannot be explained: the trace has no wall clock.',
      trace: null,
      goroutine: null,
      parts: [],
      pieces: [],
      caveats: [],
      looked,
    });
    server.use(http.get(path, () => HttpResponse.json([explained({ document: content })])));
    open(`${TRACE}?span=0`);
    const aside = within(await panel());
    expect(await aside.findByText(/cannot be explained/u)).toBeVisible();
    expect(aside.getByRole('link', { name: 'old.trace' })).toBeVisible();
    expect(aside.getByText(/debug\/pprof\/trace/u)).toBeVisible();
    expect(aside.getByRole('button', { name: 'Explain again' })).toBeEnabled();
    expect(aside.queryByRole('table', { name: /What the goroutine did/u })).toBeNull();
  });

  it('shows why it failed, and a button to try again', async () => {
    serve();
    const failed = explained({
      state: 'failed',
      document: null,
      problem: { type: 'x', title: 'x', status: 422, detail: 'The trace was deleted.' },
    });
    server.use(http.get(path, () => HttpResponse.json([failed])));
    open(`${TRACE}?span=0`);
    const aside = within(await panel());
    expect(await aside.findByText(/The trace was deleted/u)).toBeVisible();
    expect(aside.getByRole('button', { name: 'Try again' })).toBeEnabled();
  });
});

describe('Trace list of a span set', () => {
  const listed = (count: number, from: number) =>
    Array.from({ length: count }, (_, at) => ({
      trace_id: (from + at).toString(16).padStart(32, '0'),
      root: from + at === 0 ? HOSTILE_NAME : `op ${from + at}`,
      service: 'distributor',
      start_ns: 1_700_000_000_000_000_000,
      duration_ns: 10_000_000 - from - at,
      spans: 8,
      errors: at === 1 ? 2 : 0,
      gap_ns: at === 1 ? 0 : 4_000_000,
    }));

  it('paginates, sorts and searches on the server, and keeps page and order in the address', async () => {
    serve();
    const asked: URLSearchParams[] = [];
    server.use(
      http.get(at('/span-sets/:id/traces'), ({ request }) => {
        const query = new URL(request.url).searchParams;
        asked.push(query);
        const offset = Number(query.get('offset'));
        const total = query.get('search') === 'zzz' ? 0 : 120;
        return HttpResponse.json({ items: listed(Math.min(50, total), offset), total });
      }),
    );
    const { user, where } = open('/t/northwind/span-sets/s1');
    const table = await screen.findByRole('table', { name: 'All traces' }, SOON);
    expect(within(table).getByText(HOSTILE_NAME)).toHaveAttribute(
      'href',
      `/t/northwind/span-sets/s1/traces/${'0'.repeat(32)}`,
    );
    expect(screen.getByText('1 to 50 of 120')).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Next' }));
    expect(await screen.findByText('51 to 100 of 120')).toBeInTheDocument();
    expect(where()).toContain('tpage=1');
    await user.click(screen.getByRole('button', { name: 'Longest gap' }));
    await waitFor(() => expect(where()).toContain('tsort=gap'));
    expect(where()).not.toContain('tpage');
    await user.click(screen.getByRole('checkbox', { name: 'with errors' }));
    await user.type(screen.getByRole('textbox', { name: /Find traces/u }), 'zzz');
    expect(await screen.findByText('No traces match.')).toBeInTheDocument();
    const last = asked.at(-1)!;
    expect(Object.fromEntries(last)).toEqual({
      order: 'gap',
      reverse: 'false',
      search: 'zzz',
      errors: 'true',
      limit: '50',
      offset: '0',
    });
  });
});
