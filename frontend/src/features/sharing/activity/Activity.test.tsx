import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { useState } from 'react';
import { describe, expect, it } from 'vitest';
import type { Activity } from '../../../api';
import { at, page, problem, server } from '../../../testing/mock-api';
import { show } from '../../../testing/render';
import ActivityFeed from './Activity';
import type { ActivitySearch } from './activity-url';

const SERVICE = 'service-1';

const anEvent = (changed: Partial<Activity> = {}): Activity => ({
  id: 'a1',
  occurred_at: '2020-01-02T12:00:00',
  kind: 'artifact',
  action: 'artifact.received',
  actor: { kind: 'user', id: 'user-1', name: 'Mira' },
  subject_kind: 'artifact',
  subject_id: 'x',
  title: 'cpu.pb.gz',
  path: '/files/x',
  service_id: null,
  details: {},
  ...changed,
});

/** The activity feed with its filters in a state, as the page has them in its URL. */
function Feed({ first = {} }: { first?: ActivitySearch }) {
  const [search, setSearch] = useState(first);
  return (
    <ActivityFeed
      search={search}
      onSearch={setSearch}
      services={[{ id: SERVICE, name: 'shop' }]}
      people={[{ id: 'user-1', name: 'Mira' }]}
      link={(path, words) => <a href={`#${path}`}>{words}</a>}
    />
  );
}

function serve(rowsOf: (asked: URLSearchParams) => Activity[]): URLSearchParams[] {
  const asked: URLSearchParams[] = [];
  server.use(
    http.get(at('/activity'), ({ request }) => {
      asked.push(new URL(request.url).searchParams);
      return page(rowsOf(asked.at(-1)!));
    }),
  );
  return asked;
}

const pick = (name: string) => screen.findByRole('option', { name, hidden: true });

describe('ActivityFeed', () => {
  it('requests events of the selected kind, service and actor', async () => {
    const asked = serve(() => []);
    const { user } = show(<Feed />);
    await user.click(screen.getByRole('combobox', { name: 'Kind' }));
    await user.click(await pick('bisects'));
    await user.click(screen.getByRole('combobox', { name: 'Service' }));
    await user.click(await pick('shop'));
    await user.click(screen.getByRole('combobox', { name: 'Actor' }));
    await user.click(await pick('System'));
    await waitFor(() => expect(asked.at(-1)?.get('actor')).toBe('slowpath'));
    expect(asked.at(-1)?.getAll('kind')).toEqual(['bisect']);
    expect(asked.at(-1)?.get('service_id')).toBe(SERVICE);
    expect(await screen.findByText('No activity matches these filters.')).toBeInTheDocument();
    expect([...asked[0]!.keys()]).toEqual(['limit']);
  });

  it('groups several uploads into one line without a link and names the service', async () => {
    serve(() => [
      anEvent({ service_id: SERVICE }),
      anEvent({ id: 'a2' }),
      anEvent({ id: 'a3', action: 'artifact.deleted', path: null, title: 'old.pb.gz' }),
      anEvent({
        id: 'a4',
        kind: 'deployment',
        action: 'deployment.observed',
        actor: { kind: 'system', id: null, name: null },
        title: '5f3c1e8'.padEnd(40, '0'),
      }),
      anEvent({ id: 'a5', occurred_at: '2020-01-01T08:05:00', details: { text: 'a note' } }),
    ]);
    show(<Feed />);
    const day = await screen.findByRole('heading', { name: 'Thursday, 2 January 2020' });
    const lines = within(day.closest('section')!).getAllByRole('listitem');
    expect(lines.map((line) => line.textContent)).toEqual([
      '12:00Mira uploaded 2 artifacts · shop',
      '12:00Mira deleted old.pb.gz',
      '12:00Slowpath recorded the deployment 5f3c1e8000',
    ]);
    expect(within(lines[0]!).queryByRole('link')).not.toBeInTheDocument();
    expect(within(lines[1]!).queryByRole('link')).not.toBeInTheDocument();
    expect(screen.getByRole('link', { name: '5f3c1e8000' })).toHaveAttribute('href', '#/files/x');
    expect(screen.getByRole('heading', { name: 'Wednesday, 1 January 2020' })).toBeInTheDocument();
    expect(screen.getByText('a note')).toBeInTheDocument();
  });

  it('loads older events and retries after a failed first request', async () => {
    server.use(
      http.get(at('/activity'), () => problem(403, { detail: 'You left the team.' }), {
        once: true,
      }),
      http.get(at('/activity'), ({ request }) =>
        new URL(request.url).searchParams.has('cursor')
          ? page([anEvent({ id: 'a9', title: 'older.pb.gz', action: 'report.created' })])
          : HttpResponse.json({ items: [anEvent()], next_cursor: 'x' }),
      ),
    );
    const { user } = show(<Feed />);
    await user.click(await screen.findByRole('button', { name: 'Try again' }));
    await user.click(await screen.findByRole('button', { name: 'Load older' }));
    expect(await screen.findByRole('link', { name: 'older.pb.gz' })).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'cpu.pb.gz' })).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Load older' })).not.toBeInTheDocument();
    expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  });
});
