import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { Scrubbed, ShareLink } from '../../../api';
import { at, problem, server } from '../../../testing/mock-api';
import { aReport } from '../../../testing/report-fixtures';
import { enter, show } from '../../../testing/render';
import { ShareDialog } from './ShareDialog';
import SharingSwitch from './SharingSwitch';

const settings = (are_links_allowed: boolean) => ({
  are_links_allowed,
  embedding_origins: ['https://wiki.example'],
  dashboard_url: '',
});

const SECRET = 'https://slowpath.example/s/abc';

const aLink = (changed: Partial<ShareLink> = {}): ShareLink => ({
  id: 'l1',
  name: 'storage team',
  created_by: null,
  created_at: '2026-11-18T14:06:00Z',
  expires_at: null,
  revoked_at: null,
  scrub: {},
  version: 'newest',
  views: 0,
  last_viewed_at: null,
  ...changed,
});

const FOUND: Scrubbed = {
  labels: 0,
  paths: 4,
  hosts: 1,
  users: 0,
  samples: [{ kind: 'paths', before: '/home/mira/api.go', after: 'api.go' }],
};

function serve(links: ShareLink[] = [], allowed = true) {
  server.use(
    http.get(at('/share-settings'), () => HttpResponse.json(settings(allowed))),
    http.get(at('/reports/:id/share-links'), () => HttpResponse.json(links)),
    http.get(at('/reports/:id/scrub-summary'), () => HttpResponse.json(FOUND)),
  );
}

const showDialog = (version = 2) =>
  show(
    <ShareDialog
      report={aReport({ version })}
      previewLink={(scrub, shown, words) => (
        <a href={`#${shown}-${Object.values(scrub).filter(Boolean).length}`}>{words}</a>
      )}
      onClose={() => undefined}
    />,
  );

describe('new share link', () => {
  it('requires a name, sends all selected options, and shows the URL until another is created', async () => {
    serve();
    const sent: unknown[] = [];
    server.use(
      http.post(at('/reports/:id/share-links'), async ({ request }) => {
        sent.push(await request.json());
        return HttpResponse.json(
          { ...aLink({ name: 'storage team' }), secret: 'abc', url: SECRET },
          { status: 201 },
        );
      }),
    );
    const { user } = showDialog();
    const create = await screen.findByRole('button', { name: 'Create link' });
    expect(create).toBeDisabled();
    expect(create).toHaveAttribute('title', 'Enter a link name');
    await enter(user, screen.getByRole('textbox', { name: 'Link name' }), ' storage team ');
    await user.click(screen.getByRole('combobox', { name: 'Expires after' }));
    await user.click(await screen.findByRole('option', { name: 'never', hidden: true }));
    await user.click(screen.getByRole('combobox', { name: 'Shows' }));
    await user.click(await screen.findByRole('option', { name: 'version 1 only', hidden: true }));
    await user.click(screen.getByRole('checkbox', { name: 'names of users' }));
    expect(screen.getByRole('link', { name: 'Preview' })).toHaveAttribute('href', '#1-3');
    await user.click(create);
    expect(await screen.findByDisplayValue(SECRET)).toBeInTheDocument();
    expect(sent).toEqual([
      {
        name: 'storage team',
        expires_in_days: null,
        version: 1,
        scrub: { labels: true, paths: true, hosts: true, users: false },
        comments: false,
      },
    ]);
    await user.click(screen.getByRole('button', { name: 'Create another link' }));
    expect(await screen.findByRole('textbox', { name: 'Link name' })).toHaveValue('');
    expect(screen.queryByDisplayValue(SECRET)).not.toBeInTheDocument();
  });

  it('expires after 30 days and shows the newest version by default', async () => {
    serve();
    const sent: unknown[] = [];
    server.use(
      http.post(at('/reports/:id/share-links'), async ({ request }) => {
        sent.push(await request.json());
        return problem(409, { detail: 'At most 20 links are open.', resolution: 'Revoke one.' });
      }),
    );
    const { user } = showDialog();
    await user.type(await screen.findByRole('textbox', { name: 'Link name' }), 'a{Enter}');
    const alert = await screen.findByRole('alert');
    expect(alert).toHaveTextContent('Could not create the link · At most 20 links are open.');
    expect(alert).toHaveTextContent('Revoke one.');
    expect(sent).toMatchObject([
      {
        expires_in_days: 30,
        version: 'newest',
        scrub: { labels: true, paths: true, hosts: true, users: true },
      },
    ]);
    expect(screen.getByRole('textbox', { name: 'Link name' })).toHaveValue('a');
  });

  it('shows how much of each kind would be removed, with an example', async () => {
    serve();
    showDialog();
    expect(await screen.findByText('4 here: /home/mira/api.go becomes api.go')).toBeInTheDocument();
    expect(screen.getByText('1 here')).toBeInTheDocument();
    expect(screen.getAllByText('none here')).toHaveLength(2);
  });

  it('can be created when the scrub summary cannot be loaded', async () => {
    serve();
    server.use(
      http.get(at('/reports/:id/scrub-summary'), () => problem(410, { detail: 'Too large.' })),
    );
    const { user } = showDialog();
    expect(await screen.findByRole('alert')).toHaveTextContent(
      'Could not load what would be removed · Too large.',
    );
    await user.type(screen.getByRole('textbox', { name: 'Link name' }), 'a');
    expect(screen.getByRole('button', { name: 'Create link' })).toBeEnabled();
  });

  it('is not offered before the report is published', async () => {
    serve();
    showDialog(0);
    expect(await screen.findByText(/Publish the report first/)).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Create link' })).not.toBeInTheDocument();
  });

  it('is not offered when share links are off for the team', async () => {
    serve([], false);
    showDialog();
    expect(await screen.findByText(/^Share links are off for this team/)).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Create link' })).not.toBeInTheDocument();
  });
});

describe('existing share links', () => {
  it('show their expiry, version and number of views', async () => {
    serve([
      aLink({ views: 12, last_viewed_at: '2026-11-19T08:00:00Z' }),
      aLink({ id: 'l2', name: 'past', expires_at: '2020-01-02T08:00:00Z', version: 1, views: 1 }),
      aLink({ id: 'l3', name: 'over', revoked_at: '2020-01-02T08:00:00Z' }),
      aLink({ id: 'l4', name: 'open', expires_at: '2999-01-02T08:00:00Z' }),
    ]);
    showDialog();
    const row = async (name: string) => screen.findByRole('listitem', { name });
    expect(await row('storage team')).toHaveTextContent(/does not expire.*newest version/);
    expect(await row('storage team')).toHaveTextContent('12 looks, last');
    expect(await row('past')).toHaveTextContent(/expired 2 Jan 2020.*version 1 · 1 look/);
    expect(await row('over')).toHaveTextContent('revoked');
    expect(await row('open')).toHaveTextContent(/expires 2 Jan 2999/);
    // An invalid link cannot be revoked.
    const buttons = screen.getAllByRole('button', { name: /^Revoke/ });
    expect(buttons.map((button) => button.getAttribute('aria-label'))).toEqual([
      'Revoke storage team',
      'Revoke open',
    ]);
  });

  it('are shown as revoked after they are revoked', async () => {
    let revoked_at: string | null = null;
    serve();
    server.use(
      http.get(at('/reports/:id/share-links'), () => HttpResponse.json([aLink({ revoked_at })])),
      http.delete(at('/reports/:id/share-links/l1'), () => {
        revoked_at = '2026-11-20T08:00:00Z';
        return new HttpResponse(null, { status: 204 });
      }),
    );
    const { user } = showDialog();
    await user.click(await screen.findByRole('button', { name: 'Revoke storage team' }));
    const row = screen.getByRole('listitem', { name: 'storage team' });
    await waitFor(() => expect(row).toHaveTextContent('revoked'));
    expect(within(row).queryByRole('button')).not.toBeInTheDocument();
  });

  it('stay in place with the reason when the server rejects the revocation', async () => {
    serve([aLink()]);
    server.use(
      http.delete(at('/reports/:id/share-links/l1'), () =>
        problem(403, { detail: 'Only its author may.' }),
      ),
    );
    const { user } = showDialog();
    await user.click(await screen.findByRole('button', { name: 'Revoke storage team' }));
    expect(await screen.findByRole('alert')).toHaveTextContent(
      'Could not revoke the link · Only its author may.',
    );
    expect(screen.getByRole('button', { name: 'Revoke storage team' })).toBeInTheDocument();
  });
});

describe('SharingSwitch', () => {
  const box = () => screen.findByRole('checkbox', { name: 'Allow share links' });

  it('can be changed by members who manage the team', async () => {
    let allowed = true;
    server.use(
      http.get(at('/share-settings'), () => HttpResponse.json(settings(allowed))),
      http.patch(at('/share-settings'), async ({ request }) => {
        allowed = ((await request.json()) as { are_links_allowed: boolean }).are_links_allowed;
        return HttpResponse.json(settings(allowed));
      }),
    );
    const { user } = show(<SharingSwitch mayManage />);
    await user.click(await box());
    await waitFor(() => expect(screen.getByRole('checkbox')).not.toBeChecked());
    expect(allowed).toBe(false);
  });

  it('is disabled for other members, with the reason', async () => {
    server.use(http.get(at('/share-settings'), () => HttpResponse.json(settings(true))));
    show(<SharingSwitch mayManage={false} />);
    expect(await box()).toBeDisabled();
    expect(await box()).toBeChecked();
    expect(await box()).toHaveAttribute('title', 'Only admins and owners can change this');
  });

  it('keeps its state when the server rejects the change', async () => {
    server.use(
      http.get(at('/share-settings'), () => HttpResponse.json(settings(false))),
      http.patch(at('/share-settings'), () =>
        problem(403, { detail: 'You are no admin any more.' }),
      ),
    );
    const { user } = show(<SharingSwitch mayManage />);
    await user.click(await box());
    expect(await screen.findByRole('alert')).toHaveTextContent('You are no admin any more.');
    expect(await box()).not.toBeChecked();
  });

  it('saves the sites that may embed panels', async () => {
    const sent: unknown[] = [];
    server.use(
      http.get(at('/share-settings'), () => HttpResponse.json(settings(true))),
      http.patch(at('/share-settings'), async ({ request }) => {
        sent.push(await request.json());
        return HttpResponse.json(settings(true));
      }),
    );
    const { user } = show(<SharingSwitch mayManage />);
    const field = await screen.findByLabelText('Sites that may embed panels');
    expect(field).toHaveValue('https://wiki.example');
    expect(screen.getByRole('button', { name: 'Save sites' })).toBeDisabled();
    await enter(user, field, ' https://a.example,https://b.example');
    await user.click(screen.getByRole('button', { name: 'Save sites' }));
    await waitFor(() =>
      expect(sent).toEqual([
        { embedding_origins: ['https://wiki.example', 'https://a.example', 'https://b.example'] },
      ]),
    );
  });
});
