import { screen, waitFor, within } from '@testing-library/react';
import axe from 'axe-core';
import { HttpResponse, delay, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { InboxActionIn, InboxItem, InboxReadingIn } from '../api';
import { TEAM, aSession } from '../testing/api-factories';
import { aProductionEvent } from '../testing/event-fixtures';
import { anInboxItem } from '../testing/inbox-fixtures';
import { at, page, problem, server } from '../testing/mock-api';
import { enter, open } from '../testing/render';

const HOSTILE = '<img src=x onerror=alert(1)>';
const ME = aSession().user;

async function expectAccessible(element: Element) {
  // jsdom computes no layout: contrast is measured from the color tokens instead.
  const { violations } = await axe.run(element, {
    rules: { 'color-contrast': { enabled: false } },
  });
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  expect(grave.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)).toEqual([]);
}

/**
 * Serves an inbox; returns the query parameters of the list requests, and the actions and reading
 * states that were sent.
 */
function serve(items: InboxItem[]) {
  const asked: URLSearchParams[] = [];
  const sent: InboxActionIn[] = [];
  const read: InboxReadingIn[] = [];
  const unassigned = items.filter(({ assignee }) => assignee === null).length;
  server.use(
    http.get(at('/inbox'), ({ request }) => {
      const query = new URL(request.url).searchParams;
      if (query.get('limit') !== '1') asked.push(query);
      return HttpResponse.json({
        items,
        counts: {
          needs_action: items.length,
          mine: 1,
          production: 1,
          regressions: 1,
          snoozed: 2,
          closed: 14,
          unassigned,
          unread: items.filter(({ is_unread }) => is_unread).length,
        },
        headline: 'distributor p99 adds 1.1 s of latency each second',
        next_cursor: null,
      });
    }),
    http.post(at('/inbox/reading'), async ({ request }) => {
      read.push((await request.json()) as InboxReadingIn);
      return new HttpResponse(null, { status: 204 });
    }),
    http.get(at('/inbox/views'), () => HttpResponse.json({ items: [] })),
    http.post(at('/inbox/actions'), async ({ request }) => {
      const body = (await request.json()) as InboxActionIn;
      sent.push(body);
      return HttpResponse.json({
        results: body.items.map((ref) => ({ ...ref, item: anInboxItem(), problem: null })),
        undo: [{ items: body.items, action: { type: 'assign', assignee_id: null } }],
      });
    }),
    http.get(at('/teams/:team/members'), () =>
      page([{ user_id: ME.id, name: ME.name, email: ME.email, role: 'owner', created_at: '' }]),
    ),
  );
  return { asked, sent, read };
}

const rows = async () => (await screen.findAllByRole('listitem')).filter((row) => row.dataset.key);
const focusedKey = () => (document.activeElement as HTMLElement).dataset.key;
const menuItem = (name: string | RegExp) => screen.findByRole('menuitem', { name, hidden: true });

describe('Inbox', () => {
  it('shows the most severe open item in the heading, and the details of each item', async () => {
    serve([
      anInboxItem({ title: HOSTILE }),
      anInboxItem({
        kind: 'regression',
        group: 'regressions',
        severity: 'low',
        title: 'Stack growth takes more time in ident.cloneBytes',
        assignee: { id: 'x', name: 'Lea Brandt' },
        due_on: '2026-11-27',
      }),
      anInboxItem({
        kind: 'metric-source',
        group: 'bisects-and-sources',
        state: 'failing',
        title: 'Metric source prometheus-eu is failing',
        since_commit: null,
        change: null,
        sparkline: null,
      }),
    ]);
    const { container } = open('/t/northwind/inbox');
    const [first, second, third] = await rows();
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent(
      `3 open items, 2 unassigned. Most severe: distributor: ${HOSTILE}`,
    );
    expect(first).toHaveTextContent(HOSTILE);
    expect(first).toHaveTextContent('High1.10 s/s');
    expect(first).toHaveTextContent('a84f3c1000');
    expect(first).toHaveTextContent('×1.80significant');
    expect(first).toHaveTextContent('NewUnassigned');
    expect(second).toHaveTextContent('due 27 Nov');
    expect(second).toHaveTextContent('Lea Brandt');
    expect(third).toHaveTextContent('Failing');
    expect(container.querySelector('img')).toBeNull();
    expect(screen.getByRole('heading', { name: 'Bisects and data sources 1' })).toBeVisible();
    await expectAccessible(container);
  });

  it('shows views as links, and keeps filters in the address', async () => {
    const { asked } = serve([anInboxItem()]);
    const { user, where } = open('/t/northwind/inbox?severity=high');
    await rows();
    const views = screen.getByRole('navigation', { name: 'Views' });
    expect(within(views).getByRole('link', { current: 'page' })).toHaveTextContent('Needs action');
    expect(within(views).getByRole('link', { name: 'Closed14' })).toHaveAttribute(
      'href',
      '/t/northwind/inbox?view=closed',
    );
    await user.click(await screen.findByRole('combobox', { name: 'Kind' }));
    await user.click(await screen.findByRole('option', { name: 'bisect', hidden: true }));
    await waitFor(() => expect(where()).toContain('kind=bisect'));
    expect(where()).toContain('severity=high');
    await waitFor(() => expect(asked.at(-1)?.getAll('kind')).toEqual(['bisect']));
  });

  it('is the first link of the main navigation, with the number of unread items', async () => {
    serve([anInboxItem({ is_unread: true }), anInboxItem()]);
    open('/t/northwind/inbox');
    const main = await screen.findByRole('navigation', { name: 'Main' });
    await waitFor(() =>
      expect(within(main).getAllByRole('link')[0]).toHaveAccessibleName('Inbox 1 unread'),
    );
  });

  it('requests only unread items when filtered by reading state', async () => {
    const { asked } = serve([anInboxItem({ is_unread: true })]);
    const { user, where } = open('/t/northwind/inbox');
    await rows();
    expect(asked.at(-1)?.get('unread')).toBe('false');
    await user.click(await screen.findByRole('combobox', { name: 'Reading state' }));
    await user.click(await screen.findByRole('option', { name: 'unread', hidden: true }));
    await waitFor(() => expect(where()).toContain('reading=unread'));
    await waitFor(() => expect(asked.at(-1)?.get('unread')).toBe('true'));
  });

  it('shows that there are no open items, with a link to closed items', async () => {
    serve([]);
    open('/t/northwind/inbox');
    expect(await screen.findByText('No open items.')).toBeVisible();
    expect(screen.getByRole('link', { name: 'Show 14 closed items' })).toBeVisible();
  });

  it('removes all filters on request when no items match', async () => {
    serve([]);
    const { user, where } = open('/t/northwind/inbox?view=production&severity=low');
    await user.click(await screen.findByRole('link', { name: 'Remove all filters' }));
    await waitFor(() => expect(where()).toBe('/t/northwind/inbox?view=production'));
  });

  it('shows why loading failed', async () => {
    serve([]);
    server.use(http.get(at('/inbox'), () => problem(400, { detail: 'The cursor is damaged.' })));
    open('/t/northwind/inbox');
    expect(await screen.findByRole('alert')).toHaveTextContent('The cursor is damaged.');
  });
});

describe('Inbox triage by keyboard', () => {
  const three = () => [
    anInboxItem({ id: 'a1', title: 'first item' }),
    anInboxItem({ id: 'a2', title: 'second item' }),
    anInboxItem({ id: 'a3', title: 'third item' }),
  ];

  it('selects items, assigns them to a member, and undoes the assignment', async () => {
    const { sent } = serve(three());
    const { user } = open('/t/northwind/inbox');
    await rows();
    await user.keyboard('j');
    expect(focusedKey()).toBe('production-event a1');
    await user.keyboard('jxjx');
    expect(focusedKey()).toBe('production-event a3');
    const bar = screen.getByRole('region', { name: 'Actions' });
    expect(bar).toHaveTextContent('2 selected');
    await user.keyboard('a');
    await menuItem(`${ME.name} (you)`);
    await user.keyboard('1');
    await waitFor(() => expect(sent).toHaveLength(1));
    expect(sent[0]).toEqual({
      items: [
        { kind: 'production-event', id: 'a2' },
        { kind: 'production-event', id: 'a3' },
      ],
      action: { type: 'assign', assignee_id: ME.id },
    });
    expect(await screen.findByText(`Assigned 2 items to ${ME.name}`)).toBeVisible();
    await user.keyboard('u');
    await waitFor(() => expect(sent).toHaveLength(2));
    expect(sent[1]).toEqual({
      items: sent[0]?.items,
      action: { type: 'assign', assignee_id: null },
    });
    await waitFor(() => expect(screen.queryByText(/^Assigned 2 items/)).toBeNull());
  });

  it('clears the selection once an action is saved, while the items are still reloaded', async () => {
    const { sent } = serve(three());
    const { user } = open('/t/northwind/inbox');
    await rows();
    await user.keyboard('jxjx');
    server.use(http.get(at('/inbox'), () => delay('infinite')));
    await user.keyboard('a');
    await menuItem(`${ME.name} (you)`);
    await user.keyboard('1');
    expect(await screen.findByText(`Assigned 2 items to ${ME.name}`)).toBeVisible();
    await user.keyboard('u');
    await waitFor(() => expect(sent).toHaveLength(2));
    await user.keyboard('s');
    await menuItem('Acknowledged');
    await user.keyboard('3');
    await waitFor(() => expect(sent).toHaveLength(3));
    expect(sent[2]?.items).toEqual([{ kind: 'production-event', id: 'a2' }]);
  });

  it('marks unread items of the selection as read, and read items as unread', async () => {
    const [first, second, third] = three();
    const { read } = serve([
      { ...first!, is_unread: true },
      { ...second!, is_unread: true },
      third!,
    ]);
    const { user } = open('/t/northwind/inbox');
    const [one, , last] = await rows();
    expect(within(one!).getByRole('img', { name: 'Unread' })).toBeVisible();
    expect(within(last!).queryByRole('img', { name: 'Unread' })).toBeNull();
    await user.keyboard('Xr');
    await waitFor(() => expect(read).toHaveLength(1));
    expect(read[0]).toEqual({
      items: [
        { kind: 'production-event', id: 'a1' },
        { kind: 'production-event', id: 'a2' },
      ],
      is_read: true,
    });
    await user.keyboard('{Escape}jjjx');
    await user.click(await screen.findByRole('button', { name: /^Mark as unread/ }));
    await waitFor(() => expect(read).toHaveLength(2));
    expect(read[1]).toEqual({ items: [{ kind: 'production-event', id: 'a3' }], is_read: false });
  });

  it('shows why items could not be marked as read', async () => {
    serve(three());
    server.use(http.post(at('/inbox/reading'), () => problem(503, { detail: 'Maintenance.' })));
    const { user } = open('/t/northwind/inbox');
    await rows();
    await user.keyboard('r');
    expect(await screen.findByRole('alert')).toHaveTextContent('Maintenance.');
  });

  it('snoozes the item at the cursor if nothing is selected', async () => {
    const { sent } = serve(three());
    const { user } = open('/t/northwind/inbox');
    await rows();
    await user.keyboard('jjz');
    await menuItem('Until it occurs again');
    await user.keyboard('3');
    await waitFor(() =>
      expect(sent).toEqual([
        {
          items: [{ kind: 'production-event', id: 'a2' }],
          action: { type: 'snooze', rule: 'next-occurrence' },
        },
      ]),
    );
  });

  it('lists the shortcuts, opens an item and marks it as read', async () => {
    const { read } = serve(three());
    server.use(
      http.get(at('/inbox/items/production-event/a2'), () =>
        HttpResponse.json(anInboxItem({ id: 'a2' })),
      ),
      http.get(at('/production-events/:id'), () => HttpResponse.json(aProductionEvent())),
      http.get(at('/dashboard'), () => problem(404, { detail: 'gone' })),
    );
    const { user, where } = open('/t/northwind/inbox');
    await rows();
    await user.keyboard('?');
    expect(await screen.findByRole('dialog', { name: 'Shortcuts of the inbox' })).toBeVisible();
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await user.keyboard('jj{Enter}');
    await waitFor(() => expect(where()).toBe('/t/northwind/events/a2'));
    await waitFor(() =>
      expect(read).toEqual([{ items: [{ kind: 'production-event', id: 'a2' }], is_read: true }]),
    );
  });

  it('mutes an item only with a reason', async () => {
    const { sent } = serve(three());
    const { user } = open('/t/northwind/inbox');
    await rows();
    await user.keyboard('n');
    const dialog = await screen.findByRole('dialog', { name: 'Mute: 1 item' });
    const save = within(dialog).getByRole('button', { name: 'Mute' });
    expect(save).toBeDisabled();
    await enter(user, within(dialog).getByRole('textbox', { name: 'Reason' }), 'load test');
    await user.click(save);
    await waitFor(() => expect(sent[0]?.action).toEqual({ type: 'mute', reason: 'load test' }));
  });

  it('marks an item as fixed by a commit', async () => {
    const { sent } = serve(three());
    const { user } = open('/t/northwind/inbox');
    await rows();
    await user.keyboard('f');
    const dialog = await screen.findByRole('dialog', { name: 'Mark as fixed: 1 item' });
    await enter(user, within(dialog).getByRole('textbox', { name: 'Commit' }), 'A84F3C1');
    await user.click(within(dialog).getByRole('button', { name: 'Mark as fixed' }));
    await waitFor(() =>
      expect(sent[0]?.action).toEqual({
        type: 'fixed-by',
        commit: 'a84f3c1',
        build_id: null,
        deployment_id: null,
      }),
    );
  });

  it('merges the selection into one of its items', async () => {
    const { sent } = serve(three());
    const { user } = open('/t/northwind/inbox');
    await rows();
    await user.keyboard('jxjxm');
    await user.click(await menuItem(/^second item/));
    await waitFor(() =>
      expect(sent[0]).toEqual({
        items: [{ kind: 'production-event', id: 'a1' }],
        action: { type: 'merge', into: { kind: 'production-event', id: 'a2' } },
      }),
    );
  });

  it('clears the selection with Escape', async () => {
    serve(three());
    const { user } = open('/t/northwind/inbox');
    await rows();
    await user.keyboard('jx');
    expect(screen.getByText('1 selected')).toBeVisible();
    await user.keyboard('{Escape}');
    expect(screen.queryByText('1 selected')).toBeNull();
  });

  it('shows why some items were not changed', async () => {
    serve(three());
    server.use(
      http.post(at('/inbox/actions'), () =>
        HttpResponse.json({
          results: [
            {
              kind: 'production-event',
              id: 'a1',
              item: null,
              problem: { type: 'x', title: 'Gone', detail: 'It was deleted.', status: 404 },
            },
          ],
          undo: [],
        }),
      ),
    );
    const { user } = open('/t/northwind/inbox');
    await rows();
    await user.keyboard('s');
    await user.click(await menuItem('Acknowledged'));
    expect(await screen.findByText('1 item was not changed: It was deleted.')).toBeVisible();
    expect(screen.getByRole('button', { name: 'Undo' })).toBeDisabled();
  });

  it('has no effect for viewers, who see no checkboxes', async () => {
    const { sent } = serve(three());
    server.use(
      http.get(at('/session'), () =>
        HttpResponse.json(aSession({ teams: [{ ...TEAM, role: 'viewer' }] })),
      ),
    );
    const { user } = open('/t/northwind/inbox');
    await rows();
    await user.keyboard('jxa');
    expect(screen.queryByRole('region', { name: 'Actions' })).toBeNull();
    expect(screen.queryByRole('checkbox')).toBeNull();
    expect(sent).toEqual([]);
  });
});

describe('Saved inbox views', () => {
  it('are created from the current filters with a name', async () => {
    serve([anInboxItem()]);
    const saved: unknown[] = [];
    server.use(
      http.post(at('/inbox/views'), async ({ request }) => {
        saved.push(await request.json());
        return HttpResponse.json({}, { status: 201 });
      }),
    );
    const { user } = open('/t/northwind/inbox?view=production&severity=high');
    await user.click(await screen.findByRole('button', { name: 'Save this view' }));
    const dialog = await screen.findByRole('dialog', { name: 'Save this view' });
    await enter(user, within(dialog).getByRole('textbox', { name: 'Name' }), 'Storage team');
    await user.click(within(dialog).getByRole('button', { name: 'Save view' }));
    await waitFor(() =>
      expect(saved).toEqual([
        { name: 'Storage team', filters: 'severity=high&view=production', is_shared: false },
      ]),
    );
  });

  it('are shown as links, and the current one has a button to delete it', async () => {
    serve([anInboxItem()]);
    server.use(
      http.get(at('/inbox/views'), () =>
        HttpResponse.json({
          items: [
            {
              id: 'v1',
              name: 'Storage team',
              filters: 'view=production&severity=high',
              is_shared: false,
              is_own: true,
              created_at: '2026-11-18T16:00:00Z',
            },
          ],
        }),
      ),
    );
    open('/t/northwind/inbox?severity=high&view=production');
    const view = await screen.findByRole('link', { name: 'Storage team' });
    expect(view).toHaveAttribute('aria-current', 'page');
    expect(screen.getByRole('button', { name: 'Delete this view' })).toBeVisible();
  });
});
