import { screen, waitFor, within } from '@testing-library/react';
import axe from 'axe-core';
import { HttpResponse, http } from 'msw';
import { describe, expect, it, vi } from 'vitest';
import type { Regression, RegressionDetailOut, PostedComment } from '../api';
import { TEAM, aSession } from '../testing/api-factories';
import { PERSON, SERIES, SERVICE, aRegression } from '../testing/regression-fixtures';
import { open } from '../testing/render';
import { at, page, problem, server } from '../testing/mock-api';

const HOSTILE = '<img src=x onerror=alert(1)>';
const aComment = (): PostedComment => ({
  id: 'c1',
  parent_id: null,
  author_id: PERSON,
  author_name: 'Mira Kovač',
  author_kind: 'user',
  text: `it is the *helper* ${HOSTILE}`,
  mentions: [],
  created_at: '2026-11-20T15:00:00Z',
  edited_at: null,
  deleted_at: null,
});

function serve(rows: Regression[]) {
  const fresh = rows.filter(({ state }) => state === 'new').length;
  server.use(
    http.get(at('/regressions'), () => page(rows)),
    http.get(at('/regression-summary'), () =>
      HttpResponse.json({
        open: rows.length,
        states: { new: fresh },
        new_unassigned_count: rows.filter(({ state, assignee }) => state === 'new' && !assignee)
          .length,
        services: [],
        headline: rows[0] ?? null,
      }),
    ),
    http.get(at('/services'), () =>
      page([
        {
          id: SERVICE,
          slug: 'shop',
          name: 'shop',
          description: '',
          main_package: null,
          created_at: '2026-11-01T00:00:00Z',
        },
      ]),
    ),
    http.get(at('/teams/:team/members'), () =>
      page([
        {
          user_id: PERSON,
          name: 'Mira Kovač',
          email: 'm@x.example',
          role: 'owner',
          created_at: '2026-11-01T00:00:00Z',
        },
      ]),
    ),
  );
}

async function expectAccessible(element: Element) {
  // jsdom computes no layout: contrast is measured from the color tokens instead.
  const { violations } = await axe.run(element, {
    rules: { 'color-contrast': { enabled: false } },
  });
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  expect(grave.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)).toEqual([]);
}

const list = () => screen.findByRole('list', { name: 'Regressions' });

describe('Regression list', () => {
  it('shows a message when there are no regressions, with what to upload', async () => {
    serve([]);
    open('/t/northwind/regressions');
    expect(
      await screen.findByText(/No regressions\. Upload the profiles of every bui/),
    ).toBeInTheDocument();
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('No open regressions');
  });

  it('shows the number of new regressions in the heading, and effect, service and state of each', async () => {
    serve([
      aRegression(),
      aRegression({ title: HOSTILE, assignee: { id: PERSON, name: 'Mira Kovač' } }),
      aRegression({
        is_confirmed: false,
        number: null,
        required_evidence: { builds: 2, profiles: 4 },
      }),
    ]);
    const { container } = open('/t/northwind/regressions');
    const rows = within(await list()).getAllByRole('listitem');
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent(
      'Three regressions are new, two of them unassigned',
    );
    expect(rows[0]).toHaveTextContent('New');
    expect(rows[0]).toHaveTextContent('×1.15');
    expect(rows[0]).toHaveTextContent('shop · main');
    expect(rows[0]).toHaveTextContent('unassigned');
    expect(rows[1]).toHaveTextContent(HOSTILE);
    expect(rows[2]).toHaveTextContent('Unconfirmed');
    expect(rows[2]).toHaveTextContent('needs 4 more profiles of this build or 2 more builds');
    expect(container.querySelector('img')).toBeNull();
    await expectAccessible(await list());
  });

  it('sets the state of several selected regressions by keyboard', async () => {
    serve([aRegression({ id: 'a1' }), aRegression({ id: 'a2' }), aRegression({ id: 'a3' })]);
    const sent: unknown[] = [];
    server.use(
      http.patch(at('/regressions'), async ({ request }) => {
        sent.push(await request.json());
        return HttpResponse.json({ items: [] });
      }),
    );
    const shown: Element[] = [];
    vi.spyOn(HTMLElement.prototype, 'scrollIntoView').mockImplementation(function look(
      this: HTMLElement,
    ) {
      shown.push(this);
    });
    const { user } = open('/t/northwind/regressions');
    (await list()).focus();
    await user.keyboard('jxjx');
    expect(shown).toEqual([...(await list()).children].slice(1));
    expect(screen.getByText('2 regressions selected')).toBeInTheDocument();
    await user.keyboard('s');
    await user.click(await screen.findByRole('menuitem', { name: 'Acknowledged', hidden: true }));
    await waitFor(() =>
      expect(sent).toEqual([{ ids: ['a2', 'a3'], change: { state: 'acknowledged' } }]),
    );
    expect(await screen.findByText('the row at the cursor')).toBeInTheDocument();
  });

  it('shows why a change was not saved', async () => {
    serve([aRegression()]);
    server.use(
      http.patch(at('/regressions'), () =>
        problem(409, { type: 'urn:slowpath:conflict', title: 'x', detail: 'It was deleted.' }),
      ),
    );
    const { user } = open('/t/northwind/regressions');
    (await list()).focus();
    await user.keyboard('a');
    await user.click(await screen.findByRole('menuitem', { name: 'Mira Kovač', hidden: true }));
    expect(await screen.findByRole('alert')).toHaveTextContent(
      'Could not save the changes · It was deleted.',
    );
  });
});

describe('Series of a service', () => {
  it('can be muted and unmuted', async () => {
    serve([]);
    let muted = false;
    const sent: unknown[] = [];
    const [one] = SERIES.series;
    server.use(
      http.get(at('/services/:service'), () =>
        HttpResponse.json({
          id: SERVICE,
          slug: 'shop',
          name: 'shop',
          description: '',
          main_package: null,
          created_at: '2026-11-01T00:00:00Z',
        }),
      ),
      http.get(at('/services/:service/series'), () =>
        HttpResponse.json({ ...SERIES, series: [{ ...one, is_muted: muted }] }),
      ),
      http.put(at('/services/:service/mute-rules'), async ({ request }) => {
        sent.push(await request.json());
        muted = !muted;
        return HttpResponse.json({});
      }),
      http.get(at('/builds'), () => page([])),
    );
    const { user } = open(`/t/northwind/services/${SERVICE}`);
    await user.click(await screen.findByRole('button', { name: 'Mute: Clone' }));
    await user.click(await screen.findByRole('button', { name: 'Unmute: Clone' }));
    expect(await screen.findByRole('button', { name: 'Mute: Clone' })).toBeInTheDocument();
    const subject = { kind: 'profile.function', subject: 'x/libx.Clone' };
    expect(sent).toEqual([
      { ...subject, is_muted: true },
      { ...subject, is_muted: false },
    ]);
  });
});

describe('Regression page', () => {
  const whole: RegressionDetailOut = {
    ...aRegression({ id: 'r1', related_series: [] }),
    evidence: [
      {
        id: 'e1',
        kind: 'comparison',
        comparison_id: 'c1',
        build_id: null,
        details: {},
        created_at: '2026-11-20T14:12:00Z',
      },
    ],
  };

  function serveOne() {
    serve([]);
    server.use(
      http.get(at('/regressions/r1'), () => HttpResponse.json(whole)),
      http.get(at('/regressions/r1/series'), () => HttpResponse.json(SERIES)),
      http.get(at('/regressions/r1/events'), () =>
        page([
          {
            id: 'h1',
            kind: 'note',
            actor: { id: PERSON, name: 'Mira Kovač' },
            details: { text: HOSTILE },
            created_at: '2026-11-20T15:00:00Z',
          },
          {
            id: 'h0',
            kind: 'opened',
            actor: null,
            details: {},
            created_at: '2026-11-20T14:12:00Z',
          },
        ]),
      ),
    );
  }

  it('shows the trend of a slowly changing series in words and as a line', async () => {
    serveOne();
    const [first] = SERIES.series;
    const sentence = 'Rises by about 0.4% per build since 2222222; no change point.';
    server.use(
      http.get(at('/regressions/:id/series'), () =>
        HttpResponse.json({
          ...SERIES,
          series: [
            {
              ...first,
              levels: [null, null, null],
              trend: { kind: 'ramp', sentence, values: [10, 12, 15] },
            },
          ],
        }),
      ),
    );
    open('/t/northwind/regressions/r1');
    expect(await screen.findByText(sentence)).toBeInTheDocument();
    const line = screen.getByRole('slider', { name: 'Clone over 3 builds' });
    expect(line.querySelector('path[class*="trend"]')?.getAttribute('d')).toMatch(/^M.+L.+L/);
  });

  it('shows the series, the evidence and the history', async () => {
    serveOne();
    const { container, user } = open('/t/northwind/regressions/r1');
    const line = await screen.findByRole('slider', { name: 'Clone over 3 builds' });
    line.focus();
    await user.keyboard('{Home}');
    expect(line).toHaveAttribute('aria-valuenow', '1');
    expect(screen.getByText('10 (9 to 11)')).toBeInTheDocument();
    await user.keyboard('{ArrowRight}');
    expect(line).toHaveAttribute('aria-valuetext', 'no value');
    expect(screen.getByRole('link', { name: 'Before vs. after' })).toHaveAttribute(
      'href',
      '/t/northwind/comparisons/c1',
    );
    const history = await screen.findByRole('list', { name: 'History' });
    await within(history).findByText(HOSTILE);
    expect(history).toHaveTextContent('Slowpath');
    expect(container.querySelector('img')).toBeNull();
    await expectAccessible(container);
  });

  /** Serves the regression with its updates applied; returns the updates. */
  function serveUpdates(): object[] {
    let now: RegressionDetailOut = whole;
    const updates: object[] = [];
    serveOne();
    server.use(
      http.get(at('/regressions/r1'), () => HttpResponse.json(now)),
      http.patch(at('/regressions/r1'), async ({ request }) => {
        const update = (await request.json()) as {
          state?: Regression['state'];
          assignee_id?: string;
        };
        updates.push(update);
        now = {
          ...now,
          state: update.state ?? now.state,
          assignee: update.assignee_id ? { id: PERSON, name: 'Mira Kovač' } : now.assignee,
        };
        return HttpResponse.json(now);
      }),
    );
    return updates;
  }

  it('sets the state and the assignee from menus', async () => {
    const updates = serveUpdates();
    const { user } = open('/t/northwind/regressions/r1');
    await user.click(await screen.findByRole('button', { name: 'State: New' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Acknowledged', hidden: true }));
    await screen.findByRole('button', { name: 'State: Acknowledged' });
    await user.click(screen.getByRole('button', { name: 'Assignee: unassigned' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Mira Kovač', hidden: true }));
    await screen.findByRole('button', { name: 'Assignee: Mira Kovač' });
    expect(updates).toEqual([{ state: 'acknowledged' }, { assignee_id: PERSON }]);
  });

  it('keeps the state, and shows why, when the server rejects a change', async () => {
    serveOne();
    server.use(
      http.patch(at('/regressions/r1'), () =>
        problem(409, { title: 'Conflict', detail: 'The regression was closed by another member.' }),
      ),
    );
    const { user } = open('/t/northwind/regressions/r1');
    await user.click(await screen.findByRole('button', { name: 'State: New' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Ignored', hidden: true }));
    expect(await screen.findByRole('alert')).toHaveTextContent('closed by another member');
    expect(screen.getByRole('button', { name: 'State: New' })).toBeEnabled();
  });

  it('hides the state menu and the due date from viewers', async () => {
    serveOne();
    server.use(
      http.get(at('/session'), () =>
        HttpResponse.json(aSession({ teams: [{ ...TEAM, role: 'viewer' }] })),
      ),
    );
    open('/t/northwind/regressions/r1');
    await screen.findByRole('slider', { name: 'Clone over 3 builds' });
    expect(screen.queryByRole('button', { name: /^State:/ })).not.toBeInTheDocument();
    expect(screen.queryByLabelText('Due on')).not.toBeInTheDocument();
  });

  it('lists related changes of the same cause, and marks a cost shift', async () => {
    serveOne();
    const related = (subject: string, is_cost_shift: boolean) => ({
      kind: 'profile.function',
      subject,
      unit: 'share',
      is_cost_shift,
    });
    server.use(
      http.get(at('/regressions/r1'), () =>
        HttpResponse.json({
          ...whole,
          is_confirmed: false,
          related_series: [
            related('Clone', false),
            related('growslice', false),
            related('memmove', true),
          ],
        }),
      ),
    );
    open('/t/northwind/regressions/r1');
    const changes = await screen.findByRole('list', { name: 'Related changes' });
    expect(
      within(changes)
        .getAllByRole('listitem')
        .map((item) => item.textContent),
    ).toEqual(['growslice same cause', 'memmove cost shift']);
    expect(screen.getByText('Unconfirmed, not notified')).toBeInTheDocument();
  });

  it('renders comments as Markdown, and posts a comment that mentions a member', async () => {
    serveOne();
    const sent: unknown[] = [];
    server.use(
      http.get(at('/comments'), () => HttpResponse.json({ items: [aComment()] })),
      http.post(at('/comments'), async ({ request }) => {
        sent.push(await request.json());
        return HttpResponse.json(aComment(), { status: 201 });
      }),
    );
    const { user, container } = open('/t/northwind/regressions/r1');
    const comment = await screen.findByRole('article');
    expect(await within(comment).findByText('helper')).toBeInTheDocument();
    expect(container.querySelector('img')).toBeNull();
    const field = await screen.findByRole('combobox', { name: 'Comment' });
    await user.type(field, 'see @mi');
    await user.keyboard('{Enter}');
    expect(field).toHaveValue('see @Mira Kovač ');
    await user.click(screen.getByRole('button', { name: 'Comment' }));
    await waitFor(() => {
      expect(sent).toEqual([
        {
          subject_kind: 'regression',
          subject_id: 'r1',
          part: '',
          parent_id: null,
          text: 'see @Mira Kovač',
          mentioned_user_ids: [PERSON],
        },
      ]);
    });
    await expectAccessible(container);
  });
});
