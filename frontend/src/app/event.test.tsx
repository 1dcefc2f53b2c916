import { screen, waitFor, within } from '@testing-library/react';
import axe from 'axe-core';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { InboxActionIn, ProductionEvent } from '../api';
import { TEAM, aSession } from '../testing/api-factories';
import { aProductionEvent } from '../testing/event-fixtures';
import { anInboxItem } from '../testing/inbox-fixtures';
import { at, page, problem, server } from '../testing/mock-api';
import { open } from '../testing/render';

const HOSTILE = '<img src=x onerror=alert(1)>';

async function expectAccessible(element: Element) {
  // jsdom computes no layout: contrast is measured from the color tokens instead.
  const { violations } = await axe.run(element, {
    rules: { 'color-contrast': { enabled: false } },
  });
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  expect(grave.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)).toEqual([]);
}

function serve(event: ProductionEvent): InboxActionIn[] {
  const sent: InboxActionIn[] = [];
  server.use(
    http.get(at('/production-events/:id'), () => HttpResponse.json(event)),
    // The panels are tested with the dashboard. Here their request fails, and the rest of the page
    // must work.
    http.get(at('/dashboard'), () => problem(404, { detail: 'No samples are stored.' })),
    http.post(at('/inbox/actions'), async ({ request }) => {
      const body = (await request.json()) as InboxActionIn;
      sent.push(body);
      return HttpResponse.json({
        results: body.items.map((ref) => ({ ...ref, item: event.item, problem: null })),
        undo: [{ items: body.items, action: { type: 'set-state', state: 'new' } }],
      });
    }),
  );
  return sent;
}

const openEvent = () => open('/t/northwind/events/event-31');

describe('Event page', () => {
  it('shows the title, the state and the impact of the event, with HTML as text', async () => {
    serve(aProductionEvent({ item: anInboxItem({ number: 31, title: `${HOSTILE} got slower` }) }));
    const { container } = openEvent();
    expect(await screen.findByRole('heading', { level: 1 })).toHaveTextContent(
      `distributor: ${HOSTILE} got slower`,
    );
    expect(screen.getByText('Event 31').parentElement).toHaveTextContent(
      'Inbox/Event 31distributor, productionNew',
    );
    expect(
      screen.getByText(/510,000 requests affected · 1.10 s of latency added each second/u),
    ).toBeVisible();
    expect(container.querySelector('img')).toBeNull();
    await screen.findByText('No comments yet.');
    await expectAccessible(container);
  });

  it('lists the conditions of the proof, and which of them hold', async () => {
    serve(aProductionEvent());
    openEvent();
    const proof = await screen.findByRole('region', { name: 'Proof' });
    expect(
      within(proof)
        .getAllByRole('listitem')
        .map((item) => item.textContent),
    ).toEqual([
      'Starts 40 s after deployment a84f3c1, holds',
      'The load did not change, holds',
      'Ends with a rollback, not known yet',
    ]);
  });

  it.each([
    ['rolled-back', 'Confirmed by rollback'],
    ['fixed', 'Confirmed by fix'],
    ['recovered', 'Recovered'],
  ])('shows that the event was closed as %s', async (reason, words) => {
    const closed = { at: '2026-11-18T17:31:00Z', reason, sentence: 'p99 is back at 45 ms' };
    serve(aProductionEvent({ item: anInboxItem({ state: 'closed', closed }) }));
    openEvent();
    expect(await screen.findByText(words)).toBeVisible();
  });

  it('shows the suspect commit with its author, the affected signals and the history', async () => {
    serve(aProductionEvent());
    openEvent();
    const first = (await screen.findByText(/copy label strings/u)).closest('li')!;
    expect(first).toHaveTextContent(
      'Suspect: wire: copy label strings so that buffers can be reused',
    );
    expect(first).toHaveTextContent('Jonas Thiel');
    expect(within(first).getByRole('link')).toHaveAttribute(
      'href',
      `/t/northwind/repositories/r1/commits/${'7c0e9d2'.padEnd(40, '0')}`,
    );
    expect(screen.getByText('gateway p99 ×1.40')).toBeVisible();
    const history = screen.getByRole('region', { name: 'History' });
    expect(history).toHaveTextContent('Assigned to Jonas Thiel · Ada Obi');
  });

  it('creates a comparison of before and after, and opens it', async () => {
    serve(aProductionEvent());
    server.use(
      http.post(at('/production-events/event-31/comparison'), () =>
        HttpResponse.json({ comparison_id: 'c52' }),
      ),
      http.get(at('/comparisons/c52'), () => problem(404, { detail: 'gone' })),
    );
    const { user, where } = openEvent();
    await user.click(await screen.findByRole('button', { name: 'Compare before and after' }));
    await waitFor(() => expect(where()).toBe('/t/northwind/comparisons/c52'));
  });

  it('shows the slowest traces since the event began beside those from before', async () => {
    const event = aProductionEvent();
    const startNs = Date.parse(event.item.since_at!) * 1e6;
    const trace = (trace_id: string, after_ns: number, duration_ns: number) => ({
      trace_id,
      service: 'distributor',
      root: 'POST /push',
      start_ns: startNs + after_ns,
      duration_ns,
      spans: 7,
      errors: 0,
      gap_ns: 0,
    });
    serve(event);
    server.use(
      http.get(at('/span-sets'), ({ request }) => {
        const from = Date.parse(new URL(request.url).searchParams.get('from')!) * 1e6;
        return HttpResponse.json([{ id: from < startNs ? 'former' : 'newest' }]);
      }),
      http.get(at('/span-sets/former/traces'), () => page([trace('t1', -1e9, 44e6)])),
      http.get(at('/span-sets/newest/traces'), () => page([trace('t2', 1e9, 79e6)])),
    );
    openEvent();
    const since = await screen.findByRole('region', { name: 'Since the event began' });
    expect(since).toHaveTextContent('79 ms');
    const before = screen.getByRole('region', { name: 'Before' });
    expect(before).toHaveTextContent('44 ms');
    expect(within(before).getByRole('link', { name: 'distributor POST /push' })).toHaveAttribute(
      'href',
      '/t/northwind/span-sets/former/traces/t1',
    );
  });

  it('shows why before and after cannot be compared', async () => {
    serve(aProductionEvent());
    server.use(
      http.post(at('/production-events/event-31/comparison'), () =>
        problem(409, { title: 'Conflict', detail: 'No profiles before the event.' }),
      ),
    );
    const { user } = openEvent();
    await user.click(await screen.findByRole('button', { name: 'Compare before and after' }));
    expect(await screen.findByText(/No profiles before the event/u)).toBeVisible();
  });

  it('changes the state of the event, and undoes the change', async () => {
    const sent = serve(aProductionEvent());
    const { user } = openEvent();
    await user.click(await screen.findByRole('button', { name: 'Set state' }));
    await user.click(await screen.findByRole('menuitem', { name: /^Acknowledged/, hidden: true }));
    await waitFor(() => expect(sent).toHaveLength(1));
    expect(sent[0]).toEqual({
      items: [{ kind: 'production-event', id: 'event-31' }],
      action: { type: 'set-state', state: 'acknowledged' },
    });
    await user.click(await screen.findByRole('button', { name: /^Undo/ }));
    await waitFor(() => expect(sent[1]?.action).toEqual({ type: 'set-state', state: 'new' }));
  });

  it('hides the buttons to set the state and to compare from viewers', async () => {
    serve(aProductionEvent());
    server.use(
      http.get(at('/session'), () =>
        HttpResponse.json(aSession({ teams: [{ ...TEAM, role: 'viewer' }] })),
      ),
    );
    openEvent();
    await screen.findByRole('region', { name: 'Proof' });
    expect(screen.queryByRole('button', { name: 'Set state' })).toBeNull();
    expect(screen.queryByRole('button', { name: 'Compare before and after' })).toBeNull();
  });

  it('shows why loading failed, with a link to the inbox', async () => {
    server.use(
      http.get(at('/production-events/:id'), () =>
        problem(404, { detail: 'There is no such event.' }),
      ),
    );
    openEvent();
    expect(await screen.findByRole('alert')).toHaveTextContent('There is no such event.');
    expect(within(screen.getByRole('main')).getByRole('link', { name: 'Inbox' })).toBeVisible();
  });
});
