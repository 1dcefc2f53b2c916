import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { Invitation, ServiceAccount } from '../../../api';
import { TEAM } from '../../../testing/api-factories';
import { at, page, problem, server } from '../../../testing/mock-api';
import { enter, show } from '../../../testing/render';
import { Invitations } from './Invitations';
import { ServiceAccounts } from './ServiceAccounts';
import { Tokens } from './Tokens';

const AT = '2026-11-20T08:00:00Z';
const team = { ...TEAM, role: 'admin' as const };
const button = (name: string) => screen.findByRole('button', { name });

const anAccount = (changed: Partial<ServiceAccount> = {}): ServiceAccount => ({
  id: 'a1',
  name: 'deployer',
  role: 'member',
  disabled_at: null,
  created_at: AT,
  created_by: 'Mira',
  tokens: 0,
  last_used_at: null,
  ...changed,
});

/** Serves service accounts that can be deleted; records the changes. */
function serveAccounts(...accounts: ServiceAccount[]) {
  let there = accounts;
  const sent: unknown[] = [];
  server.use(
    http.get(at('/teams/:team/service-accounts'), () => page(there)),
    http.patch(at('/teams/:team/service-accounts/:id'), async ({ request }) => {
      sent.push(await request.json());
      return HttpResponse.json(there[0]);
    }),
    http.delete(at('/teams/:team/service-accounts/:id'), ({ params }) => {
      there = there.filter(({ id }) => id !== params.id);
      return new HttpResponse(null, { status: 204 });
    }),
  );
  return sent;
}

describe('Service accounts', () => {
  it.each([
    [0, 'It has no tokens. Its actions stay'],
    [1, 'Its 1 token is revoked. Its actions stay'],
    [2, 'Its 2 tokens are revoked. Its actions stay'],
  ])('are deleted after a confirmation that names their %i tokens', async (tokens, words) => {
    serveAccounts(anAccount({ tokens }));
    const { user } = show(<ServiceAccounts team={team} />);
    await user.click(await button('Delete deployer'));
    const question = await screen.findByRole('dialog');
    expect(question).toHaveTextContent(words);
    await user.click(within(question).getByRole('button', { name: 'Delete service account' }));
    expect(await screen.findByText('No service accounts yet.')).toBeInTheDocument();
  });

  it('show why one was not deleted', async () => {
    serveAccounts(anAccount());
    server.use(
      http.delete(at('/teams/:team/service-accounts/:id'), () =>
        problem(403, { title: 'Refused', detail: 'Only owners.' }),
      ),
    );
    const { user } = show(<ServiceAccounts team={team} />);
    await user.click(await button('Delete deployer'));
    const question = within(await screen.findByRole('dialog'));
    await user.click(question.getByRole('button', { name: 'Delete service account' }));
    expect(await question.findByRole('alert')).toHaveTextContent('Only owners.');
  });

  it('can be enabled again, and get another role', async () => {
    const sent = serveAccounts(anAccount({ disabled_at: AT }));
    const { user } = show(<ServiceAccounts team={team} />);
    await user.click(await button('Enable deployer'));
    await user.click(screen.getByRole('combobox', { name: 'Role of deployer' }));
    const options = await screen.findAllByRole('option', { name: 'viewer: read', hidden: true });
    await user.click(options.at(-1)!); // the first options are those of the form
    await waitFor(() => expect(sent).toEqual([{ disabled: false }, { role: 'viewer' }]));
  });

  it('keep the entered name, and show why one was not created', async () => {
    serveAccounts();
    server.use(
      http.post(at('/teams/:team/service-accounts'), () =>
        problem(409, { title: 'Conflict', detail: 'The name is taken.' }),
      ),
    );
    const { user } = show(<ServiceAccounts team={team} />);
    await enter(user, await screen.findByLabelText(/^Account name/), 'deployer');
    await user.click(await button('Create account'));
    expect(await screen.findByRole('alert')).toHaveTextContent('The name is taken.');
    expect(screen.getByLabelText(/^Account name/)).toHaveValue('deployer');
  });

  it('are deselected in the form of a new token when they are deleted', async () => {
    serveAccounts(anAccount({ role: 'viewer' }), anAccount({ id: 'a2', name: 'uploader' }));
    const sent: unknown[] = [];
    server.use(
      http.post(at('/teams/:team/tokens'), async ({ request }) => {
        sent.push(await request.json());
        return problem(422, {});
      }),
    );
    const { user } = show(<Tokens team={team} uploadSteps={() => null} />);
    await user.click(await screen.findByRole('combobox', { name: 'Acts as' }));
    await user.click(await screen.findByRole('option', { name: 'deployer', hidden: true }));
    expect(screen.getByRole('checkbox', { name: /^write/ })).toBeDisabled();
    await user.click(await button('Delete deployer'));
    await user.click(await button('Delete service account'));
    await waitFor(() => {
      expect(screen.getByRole('combobox', { name: 'Acts as' })).toHaveValue('the team');
    });
    expect(screen.getByRole('checkbox', { name: /^write/ })).toBeEnabled();
    await enter(user, screen.getByLabelText(/^Name/), 'ci');
    await user.click(await button('Create token'));
    await waitFor(() =>
      expect(sent).toEqual([
        { name: 'ci', scopes: ['upload'], expires_in_days: 90, service_account_id: null },
      ]),
    );
  });
});

describe('Invitations', () => {
  const anInvitation = (changed: Partial<Invitation> = {}): Invitation => ({
    id: 'i1',
    email: 'kai@northwind.example',
    role: 'member',
    created_at: AT,
    expires_at: '2026-11-27T08:00:00Z',
    created_by: 'Mira',
    mailed_at: null,
    mail_error: null,
    ...changed,
  });
  const serve = (...invitations: Invitation[]) =>
    server.use(
      http.get(at('/teams/:team/invitations'), () => page(invitations)),
      http.post(at('/teams/:team/invitations/:id/:act'), ({ params }) =>
        HttpResponse.json(anInvitation({ id: String(params.id), secret: 's3cret' })),
      ),
      http.delete(
        at('/teams/:team/invitations/:id'),
        () => new HttpResponse(null, { status: 204 }),
      ),
    );

  it('are named in the labels of their buttons, and show whether the email was sent', async () => {
    const mail_error = { type: 't', title: 'Rejected', status: 550, detail: 'Unknown recipient.' };
    serve(
      anInvitation({ mailed_at: AT }),
      anInvitation({ id: 'i2', email: 'no@where.example', mail_error }),
      anInvitation({ id: 'i3', email: null, created_by: null }),
    );
    show(<Invitations team={team} />);
    await button('Revoke the invitation of kai@northwind.example');
    await button('New link for anyone with the link');
    expect(screen.getByText('· emailed')).toBeInTheDocument();
    expect(screen.getByText('· email rejected')).toHaveAttribute('title', 'Unknown recipient.');
    expect(screen.getByRole('row', { name: /^anyone with the link/ })).toHaveTextContent('–');
  });

  it('hide the displayed link only when its own invitation is revoked', async () => {
    serve(anInvitation(), anInvitation({ id: 'i2', email: 'jun@northwind.example' }));
    const { user } = show(<Invitations team={team} />);
    await user.click(await button('New link for kai@northwind.example'));
    expect(await screen.findByDisplayValue(/\/invitations\/s3cret$/)).toBeInTheDocument();
    let revoked = 0;
    server.events.on('response:mocked', ({ request }) => {
      revoked += request.method === 'DELETE' ? 1 : 0;
    });
    await user.click(await button('Revoke the invitation of jun@northwind.example'));
    await waitFor(() => expect(revoked).toBe(1));
    expect(screen.getByDisplayValue(/\/invitations\/s3cret$/)).toBeInTheDocument();
    await user.click(await button('Revoke the invitation of kai@northwind.example'));
    await waitFor(() => {
      expect(screen.queryByDisplayValue(/\/invitations\/s3cret$/)).not.toBeInTheDocument();
    });
    server.events.removeAllListeners();
  });

  it('offer no role above that of the inviting member', async () => {
    serve();
    const { user } = show(<Invitations team={team} />);
    expect(await screen.findByText('No open invitations.')).toBeInTheDocument();
    await user.click(screen.getByRole('combobox', { name: 'Role' }));
    await screen.findByRole('option', { name: /^admin/, hidden: true });
    expect(screen.queryByRole('option', { name: /^owner/, hidden: true })).toBeNull();
  });

  it('keep the entered email address, and show why none was created', async () => {
    serve();
    server.use(
      http.post(at('/teams/:team/invitations'), () =>
        problem(409, { title: 'Conflict', detail: 'Already a member.' }),
      ),
    );
    const { user } = show(<Invitations team={team} />);
    await enter(user, await screen.findByLabelText(/^Email/), 'kai@northwind.example');
    await user.click(await button('Create invitation'));
    expect(await screen.findByRole('alert')).toHaveTextContent('Already a member.');
    expect(screen.getByLabelText(/^Email/)).toHaveValue('kai@northwind.example');
  });
});
