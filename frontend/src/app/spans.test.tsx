import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import { aComparison, aFinding, aResult, anArtifact } from '../testing/factories';
import { open } from '../testing/render';
import { at, problem, server } from '../testing/server';
import { HOSTILE_NAME, aTraceOfSpans, spansOfOne, spansOfTwo } from '../testing/spans';

const TRACE = `/t/northwind/spans/s1/traces/${'aa'.repeat(16)}`;

function serve(): void {
  server.use(
    http.get(at('/artifacts/:id'), ({ params }) =>
      HttpResponse.json(anArtifact({ id: String(params.id), name: 'push.otlp.json' })),
    ),
    http.get(at('/spans/:id'), () => HttpResponse.json(spansOfOne())),
    http.get(at('/spans/:id/traces/:trace'), () => HttpResponse.json(aTraceOfSpans())),
    http.get(at('/comparisons/:id/parts/spans'), () => HttpResponse.json(spansOfTwo())),
  );
}

const tree = () => screen.findByRole('treegrid', { name: /Spans of distributor/ });

describe('the waterfall of a trace', () => {
  it('answers in its head, draws a row for each span, and shows hostile names as text', async () => {
    serve();
    open(TRACE);
    expect(await screen.findByRole('heading', { level: 1 })).toHaveTextContent(
      '7 ms of it is a gap in distributor /api/v1/push between validate and Push',
    );
    const rows = within(await tree()).getAllByRole('row');
    expect(rows).toHaveLength(4);
    expect(rows[3]).toHaveTextContent(HOSTILE_NAME);
    expect(document.querySelector('img')).toBeNull();
  });

  it('selects by click and keys, tells the span beside it, and keeps both in the address', async () => {
    serve();
    const { user, where } = open(TRACE);
    const grid = await tree();
    await user.click(within(grid).getByText(HOSTILE_NAME));
    await waitFor(() => {
      expect(where()).toContain('span=2');
    });
    const panel = screen.getByRole('complementary', { name: 'The span looked at' });
    expect(panel).toHaveTextContent('It ended with an error.');
    expect(panel).toHaveTextContent('Its clock was off');
    expect(panel).toHaveTextContent(`http.route${HOSTILE_NAME}`);
    grid.focus();
    await user.keyboard('{ArrowUp}{ArrowUp}{ArrowLeft}');
    await waitFor(() => {
      expect(where()).toContain('fold=r0');
    });
    expect(within(grid).getAllByRole('row')).toHaveLength(2);
    await user.keyboard('w');
    await waitFor(() => {
      expect(where()).toContain('wfrom=0.2');
    });
  });

  it('says what went wrong, in place', async () => {
    server.use(
      http.get(at('/spans/:id/traces/:trace'), () =>
        problem(404, { title: 'Not found', detail: 'There is no such trace in this file.' }),
      ),
    );
    open(TRACE);
    expect(await screen.findByRole('alert')).toHaveTextContent('no such trace');
  });
});

describe('the page of a set of spans', () => {
  it('leads from its slowest traces to the waterfall, and lists gaps, paths, calls and attributes', async () => {
    serve();
    open('/t/northwind/spans/s1');
    const slowest = await screen.findByRole('table', { name: 'Slowest traces' });
    expect(within(slowest).getByRole('link')).toHaveAttribute(
      'href',
      `/t/northwind/spans/s1/traces/${'bb'.repeat(16)}`,
    );
    for (const name of [
      'Gaps by edge',
      'Critical path',
      'Calls for each request',
      'Attributes of slow requests',
    ])
      expect(screen.getByRole('table', { name })).toBeInTheDocument();
    expect(
      await screen.findByRole('group', { name: 'Who calls whom, in request order' }),
    ).toHaveTextContent('ingester');
  });
});

describe('the spans of a comparison', () => {
  it('show the row that a finding is about', async () => {
    serve();
    const finding = aFinding({
      kind: 'spans.gap',
      profile: 'spans',
      subject: 'distributor//api/v1/push|validate|Push',
      sentence: 'p90 of the gap: 77 µs → 6.62 ms.',
      payers: [],
    });
    const comparison = aComparison({
      parts: ['profiles', 'spans'],
      result: aResult({ findings: [finding], kinds: [] }),
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
    const calls = screen.getByRole('table', { name: 'Calls for each request' });
    expect(calls).toHaveTextContent('makes more calls');
  });
});

describe('the service map', () => {
  it('stands in request order, and a service leads to the board', async () => {
    const service = (id: string, name: string) => ({ id, name, slug: name });
    server.use(
      http.get(at('/environments'), () =>
        HttpResponse.json({ items: [{ id: 'e1', name: 'production' }], next_cursor: null }),
      ),
      http.get(at('/environments/:id/order'), () =>
        HttpResponse.json({
          services: [service('d', 'distributor'), service('i', 'ingester')],
          source: 'spans',
          edges: [{ caller_id: 'd', callee_id: 'i', calls: 600, requests: 200, ratio: 3 }],
        }),
      ),
    );
    const { user, where } = open('/t/northwind/map');
    expect(
      await screen.findByRole('heading', { name: /distributor calls ingester 3\.00 times/ }),
    ).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: /ingester/ }));
    await waitFor(() => {
      expect(where()).toContain('/board?env=e1#service-i');
    });
  });
});
