import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { Browser } from '../../../api';
import { aSession } from '../../../testing/api-factories';
import { at, problem, server } from '../../../testing/mock-api';
import { enter, show } from '../../../testing/render';
import { Account } from './Account';
import { Sessions } from './Sessions';

const AT = '2026-11-20T08:00:00Z';
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0';

const browser = (id: string, changed: Partial<Browser> = {}): Browser => ({
  id,
  browser: FIREFOX,
  address: '203.0.113.7',
  created_at: '2026-11-01T08:00:00Z',
  last_seen_at: '2026-11-20T08:00:00Z',
  expires_at: '2026-12-20T08:00:00Z',
  is_current: false,
  ...changed,
});

/**
 * Serves sessions that can be ended; returns the ids of the ended ones, with `others` for all but
 * the current one.
 */
function serveSessions(...sessions: Browser[]): string[] {
  let open = sessions;
  const ended: string[] = [];
  server.use(
    http.get(at('/sessions'), () => HttpResponse.json(open)),
    http.delete(at('/sessions/:id'), ({ params }) => {
      ended.push(String(params.id));
      open = open.filter(({ id }) => id !== params.id);
      return new HttpResponse(null, { status: 204 });
    }),
    http.delete(at('/sessions'), ({ request }) => {
      if (new URL(request.url).searchParams.get('others_only') === 'true') ended.push('others');
      open = open.filter(({ is_current }) => is_current);
      return new HttpResponse(null, { status: 204 });
    }),
  );
  return ended;
}

const rows = async () => {
  const table = await screen.findByRole('table', { name: 'Active sessions' });
  return within(table).getAllByRole('row').slice(1);
};

describe('User profile', () => {
  it('shows why a new name was not saved, and keeps it in the field', async () => {
    serveSessions(browser('1', { is_current: true }));
    const names: unknown[] = [];
    server.use(
      http.patch(at('/user'), async ({ request }) => {
        names.push(await request.json());
        return problem(422, { title: 'Invalid', detail: 'The name has more than 200 characters.' });
      }),
    );
    const { user } = show(<Account session={aSession()} />);
    const save = await screen.findByRole('button', { name: 'Save' });
    expect(save).toBeDisabled();
    expect(screen.getByLabelText(/Email/)).toBeDisabled();
    const name = screen.getByLabelText(/^Name/);
    await user.clear(name);
    await user.type(name, 'Mira K.');
    await user.click(save);
    expect(await screen.findByRole('alert')).toHaveTextContent('more than 200 characters');
    expect(names).toEqual([{ name: 'Mira K.' }]);
    expect(name).toHaveValue('Mira K.');
  });
});

describe('Saved user profile', () => {
  it('trims the name, and does not save an unchanged or empty one', async () => {
    serveSessions(browser('1', { is_current: true }));
    const names: unknown[] = [];
    server.use(
      http.patch(at('/user'), async ({ request }) => {
        names.push(await request.json());
        return HttpResponse.json({ ...aSession().user, name: 'Mira K.' });
      }),
    );
    const { user } = show(<Account session={aSession()} />);
    const name = await screen.findByLabelText(/^Name/);
    const save = screen.getByRole('button', { name: 'Save' });
    await enter(user, name, ' ');
    expect(save).toBeDisabled();
    await user.clear(name);
    await enter(user, name, '   ');
    expect(save).toBeDisabled();
    await user.clear(name);
    await enter(user, name, ' Mira K. ');
    await user.click(save);
    await waitFor(() => expect(name).toHaveValue('Mira K.'));
    expect(names).toEqual([{ name: 'Mira K.' }]);
  });
});

describe('Linked accounts', () => {
  const linked = [
    { id: 'l1', name: 'Corp', email: null, created_at: AT, last_used_at: AT },
    { id: 'l2', name: 'Lab', email: 'mira@lab.example', created_at: AT, last_used_at: AT },
  ];
  const serveLinked = () => {
    serveSessions(browser('1', { is_current: true }));
    server.use(
      http.get(at('/user/linked-identities'), () =>
        HttpResponse.json({ has_password: true, linked }),
      ),
    );
  };

  it('are hidden if there are none and no provider is configured', async () => {
    serveSessions(browser('1', { is_current: true }));
    show(
      <>
        <Account session={aSession()} />
        <Sessions />
      </>,
    );
    await rows();
    expect(screen.queryByRole('heading', { name: /Linked accounts/ })).not.toBeInTheDocument();
  });

  it('are named by their email address, or by the provider without one', async () => {
    serveLinked();
    show(<Account session={aSession()} />);
    expect(await screen.findByRole('button', { name: 'Unlink Corp' })).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Unlink mira@lab.example' })).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: /^Link / })).not.toBeInTheDocument();
  });

  it('stay linked, with the reason, when the server rejects unlinking one', async () => {
    serveLinked();
    server.use(
      http.delete(at('/user/linked-identities/:id'), () =>
        problem(409, { title: 'Refused', detail: 'Set a password first.' }),
      ),
    );
    const { user } = show(<Account session={aSession()} />);
    await user.click(await screen.findByRole('button', { name: 'Unlink Corp' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('Set a password first.');
    expect(screen.getByRole('button', { name: 'Unlink Corp' })).toBeInTheDocument();
  });
});

describe('Password', () => {
  it('is changed with the current one, and both fields are cleared', async () => {
    serveSessions(browser('1', { is_current: true }));
    const bodies: unknown[] = [];
    server.use(
      http.put(at('/user/password'), async ({ request }) => {
        bodies.push(await request.json());
        return new HttpResponse(null, { status: 204 });
      }),
    );
    const { user } = show(<Account session={aSession()} />);
    await user.type(await screen.findByLabelText(/Current password/), 'former secret');
    await user.type(screen.getByLabelText(/New password/), 'a longer secret');
    await user.click(screen.getByRole('button', { name: 'Change password' }));
    expect(await screen.findByText('The password was changed.')).toBeInTheDocument();
    expect(bodies).toEqual([
      { current_password: 'former secret', new_password: 'a longer secret' },
    ]);
    expect(screen.getByLabelText(/Current password/)).toHaveValue('');
    expect(screen.getByLabelText(/New password/)).toHaveValue('');
  });

  it('is not changed if the current one is wrong, and the new one stays in the field', async () => {
    serveSessions(browser('1', { is_current: true }));
    server.use(
      http.put(at('/user/password'), () =>
        problem(403, { title: 'Refused', detail: 'The current password is wrong.' }),
      ),
    );
    const { user } = show(<Account session={aSession()} />);
    await user.type(await screen.findByLabelText(/Current password/), 'a guess');
    await user.type(screen.getByLabelText(/New password/), 'a longer secret');
    await user.click(screen.getByRole('button', { name: 'Change password' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('The current password is wrong.');
    expect(screen.queryByText('The password was changed.')).not.toBeInTheDocument();
    expect(screen.getByLabelText(/New password/)).toHaveValue('a longer secret');
  });

  it('cannot be changed if passwords are disabled on the server', async () => {
    serveSessions(browser('1', { is_current: true }));
    server.use(
      http.get(at('/auth/methods'), () =>
        HttpResponse.json({
          are_passwords_enabled: false,
          sign_up: false,
          is_mail_configured: false,
          oidc: null,
          saml: null,
        }),
      ),
    );
    show(
      <>
        <Account session={aSession()} />
        <Sessions />
      </>,
    );
    await rows();
    await waitFor(() => {
      expect(screen.queryByLabelText(/New password/)).not.toBeInTheDocument();
    });
  });
});

describe('Active sessions', () => {
  it('are named by browser and system, and the current one has no button to sign out', async () => {
    serveSessions(browser('1', { is_current: true }), browser('2', { address: '198.51.100.2' }));
    show(<Sessions />);
    const [current, other] = await rows();
    expect(current).toHaveTextContent('Firefox on Linux current session');
    expect(within(current!).queryByRole('button')).not.toBeInTheDocument();
    expect(other).toHaveTextContent('198.51.100.2');
    expect(
      within(other!).getByRole('button', { name: 'Sign out Firefox on Linux, 198.51.100.2' }),
    ).toBeInTheDocument();
  });

  it('are signed out one by one, and disappear from the list', async () => {
    const ended = serveSessions(
      browser('1', { is_current: true }),
      browser('2', { address: '198.51.100.2' }),
      browser('3', { address: '192.0.2.9' }),
    );
    const { user } = show(<Sessions />);
    const [, second] = await rows();
    await user.click(within(second!).getByRole('button', { name: /^Sign out/ }));
    await waitFor(() => {
      expect(screen.queryByText('198.51.100.2')).not.toBeInTheDocument();
    });
    expect(screen.getByText('192.0.2.9')).toBeInTheDocument();
    expect(ended).toEqual(['2']);
  });

  it('are all signed out except the current one, and the button for it disappears', async () => {
    const ended = serveSessions(
      browser('1', { is_current: true }),
      browser('2', { address: '198.51.100.2' }),
    );
    const { user } = show(<Sessions />);
    await user.click(await screen.findByRole('button', { name: 'Sign out other sessions' }));
    await waitFor(() => {
      expect(screen.queryByText('198.51.100.2')).not.toBeInTheDocument();
    });
    expect(ended).toEqual(['others']);
    expect(screen.queryByRole('button', { name: 'Sign out other sessions' })).toBeNull();
    expect(screen.getByText('current session')).toBeInTheDocument();
  });
});
