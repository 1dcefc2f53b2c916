import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, delay, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { AuditEvent } from '../../../api';
import { TEAM } from '../../../testing/api-factories';
import { at, problem, server } from '../../../testing/mock-api';
import { enter, show } from '../../../testing/render';
import { AuditLog } from './AuditLog';

const team = { ...TEAM, role: 'admin' as const };

const anEvent = (changed: Partial<AuditEvent> = {}): AuditEvent => ({
  id: 'e1',
  occurred_at: '2026-11-20T08:00:00Z',
  actor: 'Mira',
  actor_kind: 'user',
  action: 'team.renamed',
  subject: 'Northwind',
  subject_id: null,
  details: {},
  ...changed,
});

/**
 * Serves the events that `events` returns for a request; returns the query parameters of the
 * requests.
 */
function serve(events: (asked: URLSearchParams) => AuditEvent[], next: string | null = null) {
  const asked: URLSearchParams[] = [];
  server.use(
    http.get(at('/teams/:team/audit-events'), ({ request }) => {
      const query = new URL(request.url).searchParams;
      asked.push(query);
      return HttpResponse.json({
        items: events(query),
        next_cursor: query.get('cursor') === null ? next : null,
      });
    }),
  );
  return asked;
}

describe('Audit log', () => {
  it('shows actor, action and details of events, and marks actors that are not users', async () => {
    serve(() => [
      anEvent({ details: { name: 'Northwind', role: 'admin', days: 7 } }),
      anEvent({ id: 'e2', actor: 'ci', actor_kind: 'token', action: 'artifact.created' }),
    ]);
    show(<AuditLog team={team} />);
    const rows = within(await screen.findByRole('table', { name: 'Audit log' })).getAllByRole(
      'row',
    );
    expect(rows[1]).toHaveTextContent(/Mira team\.renamedNorthwindrole admin, days 7$/);
    expect(rows[2]).toHaveTextContent('ci tokenartifact.created');
  });

  it('requests events by actor, action and whole days', async () => {
    const asked = serve(() => [anEvent()]);
    const { user } = show(<AuditLog team={team} />);
    await screen.findByRole('table', { name: 'Audit log' });
    await enter(user, screen.getByLabelText('Actor'), ' Mira ');
    await enter(user, screen.getByLabelText('Action'), 'team');
    await enter(user, screen.getByLabelText('from'), '2026-11-01');
    await enter(user, screen.getByLabelText('up to'), '2026-11-02');
    await waitFor(() => expect(asked.at(-1)?.get('until')).toBeTruthy());
    const last = asked.at(-1)!;
    expect([last.get('actor'), last.get('action')]).toEqual(['Mira', 'team']);
    expect(Date.parse(last.get('since')!)).toBe(new Date(2026, 10, 1).getTime());
    expect(Date.parse(last.get('until')!)).toBe(new Date(2026, 10, 3).getTime());
  });

  it('does not show that it is empty while events without filters are loading', async () => {
    let held = false;
    server.use(
      http.get(at('/teams/:team/audit-events'), async ({ request }) => {
        const none = new URL(request.url).searchParams.has('actor');
        if (held && !none) await delay('infinite');
        return HttpResponse.json({ items: none ? [] : [anEvent()], next_cursor: null });
      }),
    );
    const { user } = show(<AuditLog team={team} />);
    await screen.findByRole('table', { name: 'Audit log' });
    await enter(user, screen.getByLabelText('Actor'), 'Ann');
    expect(await screen.findByText('No events match these filters.')).toBeInTheDocument();
    held = true;
    await user.click(screen.getByRole('button', { name: 'Show all' }));
    expect(screen.getByLabelText('Actor')).toHaveValue('');
    expect(screen.queryByText(/^No events yet/)).not.toBeInTheDocument();
  });

  it('shows that there are no events yet', async () => {
    serve(() => []);
    show(<AuditLog team={team} />);
    expect(await screen.findByText(/^No events yet/)).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Show all' })).not.toBeInTheDocument();
  });

  it('loads older events, and lists them after the newer ones', async () => {
    serve(
      (query) =>
        query.get('cursor') === null
          ? [anEvent({ subject: 'newer' })]
          : [anEvent({ id: 'e2', subject: 'older' })],
      'c1',
    );
    const { user } = show(<AuditLog team={team} />);
    await user.click(await screen.findByRole('button', { name: 'Load older events' }));
    expect(await screen.findByText('older')).toBeInTheDocument();
    expect(screen.getAllByRole('row').map((row) => row.children[3]?.textContent)).toEqual([
      'Subject',
      'newer',
      'older',
    ]);
    expect(screen.queryByRole('button', { name: 'Load older events' })).not.toBeInTheDocument();
  });

  it('shows why loading failed', async () => {
    server.use(
      http.get(at('/teams/:team/audit-events'), () =>
        problem(403, { title: 'Refused', detail: 'Not an admin.' }),
      ),
    );
    show(<AuditLog team={team} />);
    const alert = await screen.findByRole('alert');
    expect(alert).toHaveTextContent('Could not load the audit log');
    expect(alert).toHaveTextContent('Not an admin.');
  });

  it('is available only to admins and owners', () => {
    show(<AuditLog team={{ ...TEAM, role: 'member' }} />);
    expect(screen.getByText(/^Only admins and owners/)).toBeInTheDocument();
    expect(screen.queryByLabelText('Actor')).not.toBeInTheDocument();
  });
});
