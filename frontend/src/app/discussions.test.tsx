import { screen, waitFor, within } from '@testing-library/react';
import axe from 'axe-core';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { Activity, Mention } from '../api';
import { open } from '../testing/render';
import { at, page, problem, server } from '../testing/mock-api';

const HOSTILE = '<img src=x onerror=alert(1)>';

async function expectAccessible(element: Element) {
  // jsdom computes no layout: contrast is measured from the color tokens instead.
  const { violations } = await axe.run(element, {
    rules: { 'color-contrast': { enabled: false } },
  });
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  expect(grave.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)).toEqual([]);
}

const someNews = (changed: Partial<Activity> = {}): Activity => ({
  id: 'a1',
  occurred_at: new Date().toISOString(),
  kind: 'comment',
  action: 'comment.created',
  actor: { kind: 'user', id: 'p1', name: 'Mira' },
  subject_kind: 'build',
  subject_id: 'b1',
  title: HOSTILE,
  path: '/builds/b1',
  service_id: null,
  details: { text: 'it is the helper' },
  ...changed,
});

const aMention: Mention = {
  id: 'm1',
  comment_id: 'c1',
  author_name: 'Mira',
  text: HOSTILE,
  subject_kind: 'regression',
  subject_id: 'r1',
  title: 'Clone takes more time',
  path: '/activity',
  created_at: '2026-11-20T09:12:00Z',
  read_at: null,
};

describe('Activity page', () => {
  it('lists activities by day with their actors, and requests the filters of the address', async () => {
    const asked: string[] = [];
    server.use(
      http.get(at('/activity'), ({ request }) => {
        asked.push(new URL(request.url).search);
        return page([
          someNews(),
          someNews({ id: 'a0', occurred_at: '2026-11-01T09:00:00Z', details: {} }),
        ]);
      }),
    );
    const { container } = open('/t/northwind/activity?kind=comment&by=slowpath');
    await waitFor(() => expect(asked).not.toEqual([]), { timeout: 15_000 });
    expect(await screen.findByRole('heading', { name: 'Today' })).toBeInTheDocument();
    expect(screen.getAllByText('Mira')).toHaveLength(2);
    expect(screen.getByText('it is the helper')).toBeInTheDocument();
    expect(container.querySelector('img')).toBeNull();
    expect(screen.getAllByRole('link', { name: HOSTILE })[0]).toHaveAttribute(
      'href',
      '/t/northwind/builds/b1',
    );
    expect(asked[0]).toContain('kind=comment');
    expect(asked[0]).toContain('actor=slowpath');
    await expectAccessible(container);
  });

  it('shows that there is no activity yet, and why loading failed', async () => {
    server.use(http.get(at('/activity'), () => page([])));
    const { unmount } = open('/t/northwind/activity');
    expect(await screen.findByText(/No activity yet\./)).toBeInTheDocument();
    unmount();
    server.use(http.get(at('/activity'), () => problem(422, { detail: 'not so' })));
    open('/t/northwind/activity');
    expect(await screen.findByRole('alert')).toHaveTextContent('not so');
  });
});

describe('Mentions', () => {
  it('shows the unread count, navigates to the comment, and marks the mention as read', async () => {
    const read: unknown[] = [];
    server.use(
      http.get(at('/activity'), () => page([])),
      http.get(at('/mention-count'), () => HttpResponse.json({ unread: read.length > 0 ? 0 : 1 })),
      http.get(at('/mentions'), () => page([aMention])),
      http.post(at('/mentions/read'), async ({ request }) => {
        read.push(await request.json());
        return HttpResponse.json({ unread: 0 });
      }),
    );
    const { user, where } = open('/t/northwind/activity');
    await user.click(await screen.findByRole('button', { name: 'Mentions, 1 unread' }));
    const inbox = await screen.findByRole('dialog');
    await expectAccessible(inbox);
    await user.click(await within(inbox).findByRole('button', { name: /Clone takes more time/ }));
    expect(where()).toBe('/t/northwind/activity#comment-c1');
    await waitFor(() => expect(read).toEqual([{ mention_ids: ['m1'] }]));
    expect(await screen.findByRole('button', { name: 'Mentions' })).toBeInTheDocument();
  });
});

describe('Password reset', () => {
  it('requests a link by email, and shows that it was sent', async () => {
    server.use(http.post(at('/password-resets'), () => new HttpResponse(null, { status: 204 })));
    const { user, container } = open('/password-reset');
    await user.type(await screen.findByLabelText(/Email/), 'ann@example.com');
    await user.click(screen.getByRole('button', { name: 'Send link' }));
    expect(
      await screen.findByText(/, a link was sent\. It is valid once, for one hou/),
    ).toBeInTheDocument();
    await expectAccessible(container);
  });

  it('changes the password with the secret from the URL fragment', async () => {
    const sent: unknown[] = [];
    server.use(
      http.post(at('/password-resets/confirm'), async ({ request }) => {
        sent.push(await request.json());
        return new HttpResponse(null, { status: 204 });
      }),
    );
    const { user } = open('/password-reset/confirm#abc');
    await user.type(await screen.findByLabelText(/New password/), 'correct horse');
    await user.click(screen.getByRole('button', { name: 'Change password' }));
    expect(
      await screen.findByText(/All sessions are signed out\. Sign in with the ne/),
    ).toBeInTheDocument();
    expect(sent).toEqual([{ secret: 'abc', password: 'correct horse' }]);
  });

  it('shows the reason when the link has expired', async () => {
    server.use(
      http.post(at('/password-resets/confirm'), () =>
        problem(404, { detail: 'older than an hour' }),
      ),
    );
    const { user } = open('/password-reset/confirm#abc');
    await user.type(await screen.findByLabelText(/New password/), 'correct horse');
    await user.click(screen.getByRole('button', { name: 'Change password' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('older than an hour');
  });
});
