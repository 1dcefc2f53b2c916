import { screen, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it, vi } from 'vitest';
import { aSession } from '../../../testing/api-factories';
import { at, problem, server } from '../../../testing/mock-api';
import { enter, show } from '../../../testing/render';
import { ClosedTeams } from './ClosedTeams';
import { DeleteAccount } from './DeleteAccount';

const session = aSession();
const button = (name: string) => screen.findByRole('button', { name });

describe('Account deletion', () => {
  async function ask() {
    const { user } = show(<DeleteAccount session={session} />);
    await user.click(await button('Delete your account'));
    await screen.findByRole('dialog');
    return user;
  }

  it('requires email address and password, and shows why it was rejected', async () => {
    const sent: unknown[] = [];
    server.use(
      http.post(at('/user/deletion'), async ({ request }) => {
        sent.push(await request.json());
        return problem(403, { title: 'Refused', detail: 'The password is wrong.' });
      }),
    );
    const user = await ask();
    const remove = await button('Delete permanently');
    const email = screen.getByLabelText(/^Type mira@northwind\.example to confirm/);
    await enter(user, email, 'mira@northwind');
    expect(remove).toBeDisabled();
    await enter(user, email, '.EXAMPLE ');
    expect(remove).toBeEnabled();
    await enter(user, await screen.findByLabelText(/^Password/), 'a guess');
    await user.click(remove);
    const alert = await screen.findByRole('alert');
    expect(alert).toHaveTextContent('Could not delete your account');
    expect(alert).toHaveTextContent('The password is wrong.');
    expect(sent).toEqual([{ email: 'mira@northwind.EXAMPLE ', current_password: 'a guess' }]);
  });

  it('requires no password if none is set', async () => {
    const sent: unknown[] = [];
    server.use(
      http.post(at('/user/deletion'), async ({ request }) => {
        sent.push(await request.json());
        return problem(403, { title: 'Refused', detail: 'Not now.' });
      }),
      http.get(at('/user/linked-identities'), () =>
        HttpResponse.json({ has_password: false, linked: [] }),
      ),
    );
    const user = await ask();
    await waitFor(() => expect(screen.queryByLabelText(/^Password/)).not.toBeInTheDocument());
    await enter(user, screen.getByLabelText(/^Type/), 'mira@northwind.example');
    await user.click(await button('Delete permanently'));
    await waitFor(() =>
      expect(sent).toEqual([{ email: 'mira@northwind.example', current_password: null }]),
    );
  });

  it('clears the entered email address when it is cancelled', async () => {
    const user = await ask();
    await enter(user, screen.getByLabelText(/^Type/), 'mira@northwind.example');
    await user.click(await button('Cancel'));
    await user.click(await button('Delete your account'));
    expect(await screen.findByLabelText(/^Type/)).toHaveValue('');
    expect(await button('Delete permanently')).toBeDisabled();
  });
});

describe('Deleted teams', () => {
  const serve = (...names: string[]) => {
    let teams = names.map((name) => ({
      id: name,
      slug: name.toLowerCase(),
      name,
      deleted_at: '2026-11-20T08:00:00Z',
      erased_at: '2026-11-20T20:00:00Z',
    }));
    server.use(
      http.get(at('/deleted-teams'), () => HttpResponse.json(teams)),
      http.post(at('/deleted-teams/:id/restore'), ({ params }) => {
        teams = teams.filter(({ id }) => id !== params.id);
        return HttpResponse.json({ id: params.id, slug: String(params.id).toLowerCase() });
      }),
    );
  };

  it('are restored one by one, and disappear from the list', async () => {
    serve('Lab', 'Works');
    const reopened = vi.fn();
    const { user } = show(<ClosedTeams onReopened={reopened} />);
    await user.click(await button('Restore Lab'));
    await waitFor(() => expect(reopened).toHaveBeenCalledExactlyOnceWith('lab'));
    expect(screen.queryByRole('button', { name: 'Restore Lab' })).not.toBeInTheDocument();
    expect(await button('Restore Works')).toBeInTheDocument();
  });

  it('show why one cannot be restored', async () => {
    serve('Lab');
    server.use(
      http.post(at('/deleted-teams/:id/restore'), () =>
        problem(410, { title: 'Gone', detail: 'The team was erased.' }),
      ),
    );
    const reopened = vi.fn();
    const { user } = show(<ClosedTeams onReopened={reopened} />);
    await user.click(await button('Restore Lab'));
    const alert = await screen.findByRole('alert');
    expect(alert).toHaveTextContent('Could not restore the team');
    expect(alert).toHaveTextContent('The team was erased.');
    expect(reopened).not.toHaveBeenCalled();
  });
});
