import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import { momentText, setTimeZone } from '../lib/times';
import { aSession } from '../testing/api-factories';
import { enter, open } from '../testing/render';
import { at, page, problem, server } from '../testing/mock-api';
import { findDraft, saveDraft } from '../ui';
import { safeReturnPath } from './return-path';

/** Serves a session only after a request with the right password. */
function signedOut(): void {
  let signedIn = false;
  server.use(
    http.get(at('/session'), () =>
      signedIn
        ? HttpResponse.json(aSession())
        : problem(401, { type: 'urn:slowpath:not-signed-in', title: 'Not signed in' }),
    ),
    http.post(at('/session'), async ({ request }) => {
      const { password } = (await request.json()) as { password: string };
      signedIn = password === 'correct horse';
      return signedIn
        ? HttpResponse.json(aSession())
        : problem(401, {
            title: 'Not signed in',
            detail: 'E-mail or password is wrong.',
            resolution: 'Check both.',
          });
    }),
  );
}

describe('Sign-in', () => {
  it('shows why it failed, and navigates to the requested page on success', async () => {
    signedOut();
    const { user, where } = open('/t/northwind/artifacts?q=cpu');
    await user.type(await screen.findByLabelText('Email'), 'mira@northwind.example');
    const password = document.querySelector('input[type=password]')!;
    await user.type(password, 'wrong');
    await user.click(screen.getByRole('button', { name: 'Sign in' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('E-mail or password is wrong.');
    await user.clear(password);
    await user.type(password, 'correct horse');
    await user.click(screen.getByRole('button', { name: 'Sign in' }));
    expect(await screen.findByRole('heading', { name: 'Artifacts' })).toBeInTheDocument();
    expect(where()).toContain('/t/northwind/artifacts?q=cpu');
  });

  it('returns only to paths of this site', () => {
    expect(
      ['//evil.example', '/\\evil.example', 'https://evil.example', undefined].map(safeReturnPath),
    ).toEqual(['/', '/', '/', '/']);
    expect(safeReturnPath('/t/a/artifacts')).toBe('/t/a/artifacts');
  });

  it('shows "Page not found" to a user who is not a member of the team', async () => {
    open('/t/others/comparisons');
    expect(await screen.findByText('Page not found')).toBeInTheDocument();
  });
});

const withIssuer = (ways: { are_passwords_enabled: boolean; sign_up: boolean }) =>
  http.get(at('/auth/methods'), () =>
    HttpResponse.json({ ...ways, oidc: { name: 'Corp' }, saml: null }),
  );

describe('Sign-in at an identity provider', () => {
  it('is offered above the form, or alone when passwords are disabled', async () => {
    signedOut();
    server.use(withIssuer({ are_passwords_enabled: true, sign_up: true }));
    const both = open('/sign-in');
    expect(await screen.findByRole('button', { name: 'Sign in with Corp' })).toBeInTheDocument();
    expect(screen.getByLabelText('Email')).toBeInTheDocument();
    both.unmount();
    server.use(withIssuer({ are_passwords_enabled: false, sign_up: true }));
    open('/sign-in');
    expect(await screen.findByRole('button', { name: 'Sign in with Corp' })).toBeInTheDocument();
    expect(screen.queryByLabelText('Email')).not.toBeInTheDocument();
    expect(screen.queryByText('Create an account')).not.toBeInTheDocument();
  });

  it('sends the OpenID Connect response once, and navigates to the requested page', async () => {
    const handed: unknown[] = [];
    server.use(
      http.post(at('/oidc/callback'), async ({ request }) => {
        handed.push(await request.json());
        return HttpResponse.json(
          { session: aSession(), next: '/t/northwind/artifacts?q=cpu', linked: false },
          { status: 201 },
        );
      }),
    );
    const { where } = open(
      '/sign-in/callback?code=1e5&state=0123&iss=https%3A%2F%2Fissuer.example',
    );
    expect(await screen.findByRole('heading', { name: 'Artifacts' })).toBeInTheDocument();
    expect(where()).toContain('/t/northwind/artifacts?q=cpu');
    expect(handed).toEqual([{ code: '1e5', state: '0123', iss: 'https://issuer.example' }]);
  });

  it('sends the SAML response once, and removes it from the session storage', async () => {
    const handed: unknown[] = [];
    server.use(
      http.post(at('/saml/callback'), async ({ request }) => {
        handed.push(await request.json());
        return HttpResponse.json(
          { session: aSession(), next: '/t/northwind/artifacts', linked: false },
          { status: 201 },
        );
      }),
    );
    const brought = { state: 'relay', response: 'PHNhbWw+' };
    window.sessionStorage.setItem('slowpath.saml', JSON.stringify(brought));
    open('/sign-in/callback?saml=1');
    expect(await screen.findByRole('heading', { name: 'Artifacts' })).toBeInTheDocument();
    expect(handed).toEqual([brought]);
    expect(window.sessionStorage.getItem('slowpath.saml')).toBeNull();
  });

  it('shows why it failed, and does not redirect to another site', async () => {
    server.use(
      http.post(at('/oidc/callback'), () =>
        problem(401, { title: 'Not signed in', detail: 'The response was already used.' }),
      ),
    );
    const failed = open('/sign-in/callback?code=a&state=b');
    expect(await screen.findByRole('alert')).toHaveTextContent('The response was already used.');
    failed.unmount();
    server.use(
      http.post(at('/oidc/callback'), () =>
        HttpResponse.json(
          { session: aSession(), next: '//evil.example', linked: false },
          { status: 201 },
        ),
      ),
    );
    const { where } = open('/sign-in/callback?code=a&state=c');
    await screen.findByRole('banner');
    expect(where()).not.toContain('evil');
  });

  it('shows linked accounts in the settings, without a field for a current password if none is set', async () => {
    server.use(
      withIssuer({ are_passwords_enabled: true, sign_up: true }),
      http.get(at('/user/linked-identities'), () =>
        HttpResponse.json({
          has_password: false,
          linked: [
            {
              id: '1',
              name: 'Corp',
              email: 'mira@corp.example',
              created_at: '2026-11-21T09:00:00Z',
              last_used_at: '2026-11-21T09:00:00Z',
            },
          ],
        }),
      ),
      http.get(at('/sessions'), () => HttpResponse.json([])),
    );
    open('/t/northwind/settings?tab=account');
    expect(
      await screen.findByRole('button', { name: 'Unlink mira@corp.example' }),
    ).toBeInTheDocument();
    expect(await screen.findByRole('button', { name: 'Set a password' })).toBeInTheDocument();
    expect(screen.queryByLabelText(/Current password/)).not.toBeInTheDocument();
  });
});

describe('Email settings', () => {
  const withMail = http.get(at('/auth/methods'), () =>
    HttpResponse.json({
      are_passwords_enabled: true,
      sign_up: true,
      is_mail_configured: true,
      oidc: null,
      saml: null,
    }),
  );

  it('disable and enable emails about mentions', async () => {
    const sent: unknown[] = [];
    server.use(
      withMail,
      http.get(at('/user/email-preferences'), () => HttpResponse.json({ email_on_mention: true })),
      http.patch(at('/user/email-preferences'), async ({ request }) => {
        const body = (await request.json()) as object;
        sent.push(body);
        return HttpResponse.json(body);
      }),
      http.get(at('/user/linked-identities'), () =>
        HttpResponse.json({ has_password: true, linked: [] }),
      ),
      http.get(at('/sessions'), () => HttpResponse.json([])),
    );
    const { user } = open('/t/northwind/settings?tab=account');
    const box = await screen.findByRole('checkbox', { name: /Email me when I am mentioned/ });
    expect(box).toBeChecked();
    await user.click(box);
    await waitFor(() => expect(sent).toEqual([{ email_on_mention: false }]));
    expect(box).not.toBeChecked();
    await user.click(box);
    await waitFor(() =>
      expect(sent).toEqual([{ email_on_mention: false }, { email_on_mention: true }]),
    );
    expect(box).toBeChecked();
  });
});

describe('Service accounts', () => {
  it('can be disabled, and those with the viewer role get only tokens with the read scope', async () => {
    const sent: unknown[] = [];
    const account = {
      id: 'a1',
      name: 'deployer',
      role: 'viewer',
      disabled_at: null,
      created_at: '2026-11-21T09:00:00Z',
      created_by: 'Mira',
      tokens: 0,
      last_used_at: null,
    };
    server.use(
      http.get(at('/teams/:team/service-accounts'), () =>
        HttpResponse.json({ items: [account], next_cursor: null }),
      ),
      http.patch(at('/teams/:team/service-accounts/a1'), async ({ request }) => {
        sent.push(await request.json());
        return HttpResponse.json(account);
      }),
      http.post(at('/teams/:team/tokens'), async ({ request }) => {
        sent.push(await request.json());
        return problem(422, {});
      }),
    );
    const { user } = open('/t/northwind/settings?tab=tokens');
    await user.click(await screen.findByRole('button', { name: 'Disable deployer' }));
    await user.click(screen.getByRole('combobox', { name: 'Acts as' }));
    await user.click(await screen.findByRole('option', { name: 'deployer', hidden: true }));
    expect(screen.getByLabelText(/^upload/)).toBeDisabled();
    await user.type(screen.getByLabelText('Name'), 'ci');
    await user.click(screen.getByRole('button', { name: 'Create token' }));
    await waitFor(() => {
      expect(sent).toEqual([
        { disabled: true },
        { name: 'ci', scopes: ['read'], expires_in_days: 90, service_account_id: 'a1' },
      ]);
    });
  });
});

describe('Token settings', () => {
  it('show the secret of a new token with a note that it is shown once', async () => {
    server.use(
      http.post(at('/teams/:team/tokens'), () =>
        HttpResponse.json(
          {
            id: '1',
            name: 'ci',
            prefix: 'slp_abc',
            scopes: ['upload'],
            created_at: '2026-11-21T09:00:00Z',
            expires_at: null,
            last_used_at: null,
            created_by: null,
            service_account: null,
            requests_per_minute: null,
            uploads_per_minute: null,
            secret: 'slp_abcdefgh',
          },
          { status: 201 },
        ),
      ),
    );
    const { user } = open('/t/northwind/settings?tab=tokens');
    await user.type(await screen.findByLabelText('Name'), 'ci');
    await user.click(screen.getByRole('button', { name: 'Create token' }));
    await waitFor(() => {
      expect(screen.getByDisplayValue('slp_abcdefgh')).toBeInTheDocument();
    });
    expect(
      screen.getByText(/The token is shown once\. Slowpath stores only it/),
    ).toBeInTheDocument();
  });
});

/** Serves a user with these teams; the returned array can be changed to create and delete teams. */
function inTeams(...names: string[]) {
  const known = aSession();
  const teams = names.map((name) => ({ ...known.teams[0]!, id: name, slug: name, name }));
  server.use(
    http.get(at('/session'), () => HttpResponse.json({ ...known, teams })),
    http.get(at('/deleted-teams'), () => HttpResponse.json([])),
  );
  const join = (name: string) => {
    teams.push({ ...known.teams[0]!, id: name, slug: name, name });
    return { id: name, slug: name, name, created_at: '2026-01-02T03:04:05Z' };
  };
  return { teams, join };
}

describe('Team management', () => {
  it('opens a new team after its creation', async () => {
    const { join } = inTeams('first');
    server.use(http.post(at('/teams'), () => HttpResponse.json(join('second'), { status: 201 })));
    const { user, where } = open('/new-team');
    await user.type(await screen.findByLabelText(/^Name/u), 'Second');
    await user.click(screen.getByRole('button', { name: 'Create team' }));
    await waitFor(() => expect(where()).toContain('/t/second/comparisons'));
    expect(await screen.findByRole('heading', { name: 'Comparisons' })).toBeInTheDocument();
  });

  it('restores a deleted team for a user without a team', async () => {
    const { join } = inTeams();
    const times = { deleted_at: '2026-01-02T03:04:05Z', erased_at: '2026-01-02T15:04:05Z' };
    server.use(
      http.get(at('/deleted-teams'), () =>
        HttpResponse.json([{ id: 'gone', slug: 'gone', name: 'gone', ...times }]),
      ),
      http.post(at('/deleted-teams/gone/restore'), () => HttpResponse.json(join('gone'))),
    );
    const { user, where } = open('/');
    expect(await screen.findByRole('button', { name: 'Sign out' })).toBeInTheDocument();
    expect(screen.queryByText('Back')).not.toBeInTheDocument();
    await user.click(await screen.findByRole('button', { name: 'Restore gone' }));
    await waitFor(() => expect(where()).toContain('/t/gone/'));
  });

  it('deletes drafts when the user signs out', async () => {
    inTeams();
    saveDraft('report r', 'A secret thought');
    server.use(
      http.get(at('/deleted-teams'), () => HttpResponse.json([])),
      http.delete(at('/session'), () => HttpResponse.json({ provider_sign_out_url: null })),
    );
    const { user } = open('/');
    await user.click(await screen.findByRole('button', { name: 'Sign out' }));
    await waitFor(() => expect(findDraft('report r')).toBeNull());
  });

  it('deletes drafts of another user whose session expired', async () => {
    inTeams();
    server.use(http.get(at('/deleted-teams'), () => HttpResponse.json([])));
    sessionStorage.setItem('slowpath-drafts-of', aSession().user.id);
    saveDraft('report r', 'A thought of this user');
    const first = open('/');
    await screen.findByRole('button', { name: 'Sign out' });
    expect(findDraft('report r')).toBe('A thought of this user');
    first.unmount();

    sessionStorage.setItem('slowpath-drafts-of', 'another user');
    open('/');
    await screen.findByRole('button', { name: 'Sign out' });
    expect(findDraft('report r')).toBeNull();
  });

  it('requires confirmation to leave a team, and opens another team of the user', async () => {
    const { teams } = inTeams('first', 'second');
    const me = aSession().user;
    server.use(
      http.get(at('/teams/first/members'), () =>
        page([{ ...me, user_id: me.id, role: 'member', created_at: '2026-01-02T03:04:05Z' }]),
      ),
      http.delete(at(`/teams/first/members/${me.id}`), () => {
        teams.shift();
        return new HttpResponse(null, { status: 204 });
      }),
    );
    const { user, where } = open('/t/first/settings?tab=members');
    await user.click(await screen.findByRole('button', { name: 'Leave first' }));
    expect(teams).toHaveLength(2);
    await user.click(await screen.findByRole('button', { name: 'Leave the team' }));
    await waitFor(() => expect(where()).toContain('/t/second/'));
  });

  it('searches, filters and sorts members, with all three in the address', async () => {
    const member = (name: string, role: string) => ({
      user_id: name,
      name,
      email: `${name}@northwind.example`,
      role,
      created_at: '2026-01-02T03:04:05Z',
    });
    server.use(
      http.get(at('/teams/:team/members'), () =>
        page([member('jun', 'member'), member('lea', 'viewer'), member('ana', 'member')]),
      ),
    );
    const { user, where } = open(
      '/t/northwind/settings?tab=members&members-role=member&members-sort=name',
    );
    const names = () => screen.getAllByRole('rowheader').map((cell) => cell.textContent);
    await waitFor(() => expect(names()).toEqual(['ana', 'jun']));
    await user.type(screen.getByRole('textbox', { name: 'Search members' }), 'jun@');
    await waitFor(() => expect(names()).toEqual(['jun']));
    expect(where()).toContain('members-q=jun');
    expect(where()).toContain('tab=members');
  });

  it('searches members and invitations by separate fields, next to their columns and CSV download', async () => {
    server.use(
      http.get(at('/teams/:team/members'), () =>
        page([
          {
            user_id: 'u1',
            name: 'jun',
            email: 'jun@x.example',
            role: 'owner',
            created_at: '2026-01-02T03:04:05Z',
          },
        ]),
      ),
      http.get(at('/teams/:team/invitations'), () =>
        page(
          ['lea@x.example', 'ana@x.example'].map((email) => ({
            id: email,
            email,
            role: 'member',
            created_by: 'jun',
            expires_at: '2026-01-02T03:04:05Z',
            mailed_at: null,
            mail_error: null,
          })),
        ),
      ),
    );
    const { user, where } = open('/t/northwind/settings?tab=members');
    const tools = await screen.findByRole('toolbar', { name: 'Filter invitations' });
    expect(await within(tools).findByRole('button', { name: 'Columns' })).toBeInTheDocument();
    expect(within(tools).getByRole('button', { name: 'Download CSV' })).toBeInTheDocument();
    const heading = screen.getByRole('heading', { name: /^Invitations/u });
    expect(heading.compareDocumentPosition(tools)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
    await user.type(within(tools).getByRole('textbox', { name: 'Search invitations' }), 'lea');
    const names = () => screen.getAllByRole('rowheader').map((cell) => cell.textContent);
    await waitFor(() => expect(names()).toEqual(['jun', 'lea@x.example']));
    expect(where()).toContain('invitations-q=lea');
    await user.type(screen.getByRole('textbox', { name: 'Search members' }), 'zoe');
    expect(await screen.findByText('No members match the search.')).toBeInTheDocument();
    expect(names()).toEqual(['lea@x.example']);
  });
});

describe('Name of the user', () => {
  it('is saved, and cannot be saved again without a change', async () => {
    const session = aSession();
    server.use(
      http.get(at('/sessions'), () => HttpResponse.json([])),
      http.patch(at('/user'), () => {
        const renamed = { ...session.user, name: 'Mira K.' };
        server.use(
          http.get(at('/session'), () => HttpResponse.json({ ...session, user: renamed })),
        );
        return HttpResponse.json(renamed);
      }),
    );
    const { user } = open('/t/northwind/settings?tab=account');
    const name = await screen.findByRole('textbox', { name: 'Name' });
    const save = within(name.closest('form')!).getByRole('button', { name: 'Save' });
    await user.clear(name);
    await enter(user, name, 'Mira K.');
    expect(save).toBeEnabled();
    await user.click(save);
    await waitFor(() => expect(save).toBeDisabled());
    expect(name).toHaveValue('Mira K.');
    expect(screen.getByRole('button', { name: /menu of Mira K\./u })).toBeInTheDocument();
  });
});

describe('Code host logins', () => {
  it('are saved as a list without the @ sign', async () => {
    const sent: unknown[] = [];
    server.use(
      http.get(at('/sessions'), () => HttpResponse.json([])),
      http.get(at('/user/code-host-logins'), () => HttpResponse.json({ logins: ['octocat'] })),
      http.put(at('/user/code-host-logins'), async ({ request }) => {
        const body = await request.json();
        sent.push(body);
        return HttpResponse.json(body as object);
      }),
    );
    const { user } = open('/t/northwind/settings?tab=account');
    const field = await screen.findByRole('textbox', { name: /^Logins at GitHub/u });
    expect(field).toHaveValue('octocat');
    await user.type(field, ', @octo-work{Enter}');
    await waitFor(() => expect(sent).toEqual([{ logins: ['octocat', 'octo-work'] }]));
  });
});

describe('Time zone', () => {
  it('is saved for the user, and applied to all times', async () => {
    const sent: unknown[] = [];
    const user_ = aSession().user;
    server.use(
      http.get(at('/sessions'), () => HttpResponse.json([])),
      http.patch(at('/user'), async ({ request }) => {
        sent.push(await request.json());
        return HttpResponse.json({ ...user_, time_zone: 'Asia/Tokyo' });
      }),
    );
    const { user } = open('/t/northwind/settings?tab=account');
    const field = await screen.findByRole('combobox', { name: 'Time zone' });
    await user.click(field);
    await user.clear(field);
    await user.type(field, 'Tokyo');
    await user.click(await screen.findByRole('option', { name: 'Asia/Tokyo', hidden: true }));
    await waitFor(() => expect(sent).toEqual([{ time_zone: 'Asia/Tokyo' }]));
    expect(await screen.findByText(/\(Asia\/Tokyo\)/u)).toBeVisible();
    expect(momentText('2026-11-18T15:30:00Z')).toBe('Thu 19 Nov 00:30');
    setTimeZone(null);
  });
});
