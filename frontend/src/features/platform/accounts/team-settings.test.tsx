import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it, vi } from 'vitest';
import type { Member, Role, TeamMembership, Token } from '../../../api';
import { TEAM, aSession } from '../../../testing/api-factories';
import { at, page, problem, server } from '../../../testing/mock-api';
import { enter, show } from '../../../testing/render';
import { Members } from './Members';
import { TeamSettings } from './TeamSettings';
import { Tokens } from './Tokens';

const session = aSession();
const me = session.user;
const team = (role: Role): TeamMembership => ({ ...TEAM, role });
const nothing = () => {};

const member = (id: string, name: string, role: Role): Member => ({
  user_id: id,
  name,
  email: `${name.toLowerCase()}@northwind.example`,
  role,
  is_managed: false,
  created_at: '2026-11-01T08:00:00Z',
});

function serveMembers(...others: Member[]) {
  server.use(
    http.get(at('/teams/:team/members'), () => page([member(me.id, 'Mira', 'owner'), ...others])),
  );
}

const token = (changed: Partial<Token>): Token =>
  ({
    id: 'token-1',
    name: 'ci',
    prefix: 'slp_abc',
    scopes: ['upload'],
    service_account: null,
    last_used_at: null,
    expires_at: null,
    requests_per_minute: null,
    uploads_per_minute: null,
    created_at: '2026-11-01T08:00:00Z',
    ...changed,
  }) as Token;

describe('Team members', () => {
  it('cannot be changed by hand if SCIM manages them, with the reason', async () => {
    serveMembers({ ...member('user-2', 'Jun', 'admin'), is_managed: true });
    show(<Members team={team('owner')} session={session} onGone={nothing} />);
    expect(await screen.findByTitle(/identity provider sets the role/u)).toHaveTextContent(
      'admin · Managed by SCIM',
    );
    expect(screen.queryByLabelText('Role of Jun')).toBeNull();
    expect(screen.queryByRole('button', { name: 'Remove Jun from the team' })).toBeNull();
  });

  it('are removed after confirmation, and disappear from the list', async () => {
    let there = [member('user-2', 'Jun', 'member')];
    const removed: string[] = [];
    server.use(
      http.get(at('/teams/:team/members'), () => page([member(me.id, 'Mira', 'owner'), ...there])),
      http.delete(at('/teams/:team/members/:user'), ({ params }) => {
        removed.push(String(params.user));
        there = [];
        return new HttpResponse(null, { status: 204 });
      }),
    );
    const { user } = show(<Members team={team('owner')} session={session} onGone={nothing} />);
    await user.click(await screen.findByRole('button', { name: 'Remove Jun from the team' }));
    expect(removed).toEqual([]);
    await user.click(await screen.findByRole('button', { name: 'Remove from the team' }));
    await waitFor(() => {
      expect(screen.queryByText('jun@northwind.example')).not.toBeInTheDocument();
    });
    expect(removed).toEqual(['user-2']);
  });

  it('stay in the list, with the reason, when the server rejects the removal', async () => {
    serveMembers(member('user-2', 'Jun', 'owner'));
    server.use(
      http.delete(at('/teams/:team/members/:user'), () =>
        problem(409, { title: 'Refused', detail: 'A team needs an owner.' }),
      ),
    );
    const { user } = show(<Members team={team('owner')} session={session} onGone={nothing} />);
    await user.click(await screen.findByRole('button', { name: 'Remove Jun from the team' }));
    await user.click(await screen.findByRole('button', { name: 'Remove from the team' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('A team needs an owner.');
    expect(screen.getByText('jun@northwind.example')).toBeInTheDocument();
  });

  it('without a managing role can only leave the team', async () => {
    serveMembers(member('user-2', 'Jun', 'member'));
    show(<Members team={team('member')} session={session} onGone={nothing} />);
    expect(await screen.findByRole('button', { name: 'Leave Northwind' })).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: /^Remove/ })).not.toBeInTheDocument();
    expect(screen.queryByLabelText(/^Role of/)).not.toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Create invitation' })).not.toBeInTheDocument();
  });

  it('are invited by email and role, and the link is shown until it is revoked', async () => {
    serveMembers();
    const sent: unknown[] = [];
    const invitation = { id: 'invitation-1', email: 'kai@northwind.example', role: 'member' };
    server.use(
      http.post(at('/teams/:team/invitations'), async ({ request }) => {
        sent.push(await request.json());
        const listed = { ...invitation, created_by: null, mailed_at: null, mail_error: null };
        server.use(
          http.get(at('/teams/:team/invitations'), () =>
            page([{ ...listed, expires_at: '2026-11-28T08:00:00Z' }]),
          ),
        );
        return HttpResponse.json({ ...invitation, secret: 's3cret' }, { status: 201 });
      }),
      http.delete(
        at('/teams/:team/invitations/invitation-1'),
        () => new HttpResponse(null, { status: 204 }),
      ),
    );
    const { user } = show(<Members team={team('admin')} session={session} onGone={nothing} />);
    await user.type(await screen.findByLabelText(/^Email/), 'kai@northwind.example');
    await user.click(screen.getByRole('button', { name: 'Create invitation' }));
    expect(await screen.findByText(/to kai@northwind\.example/)).toBeInTheDocument();
    expect(screen.getByDisplayValue(/\/invitations\/s3cret$/)).toBeInTheDocument();
    expect(sent).toEqual([{ email: 'kai@northwind.example', role: 'member', expires_in_days: 7 }]);
    await user.click(await screen.findByRole('button', { name: /^Revoke the invitation of kai/ }));
    await waitFor(() => expect(screen.queryByDisplayValue(/s3cret$/)).toBeNull());
  });
});

describe('API tokens', () => {
  it('can be created only by admins and owners', async () => {
    show(<Tokens team={team('member')} uploadSteps={() => null} />);
    expect(await screen.findByText(/Only admins and owners/)).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Create token' })).not.toBeInTheDocument();
  });

  it('require at least one scope', async () => {
    const { user } = show(<Tokens team={team('admin')} uploadSteps={() => null} />);
    const create = await screen.findByRole('button', { name: 'Create token' });
    expect(create).toBeEnabled();
    await user.click(screen.getByRole('checkbox', { name: /^upload/ }));
    expect(create).toBeDisabled();
    await user.click(screen.getByRole('checkbox', { name: /^read/ }));
    expect(create).toBeEnabled();
  });

  it('are revoked after a confirmation that shows when they were last used', async () => {
    let there = [token({})];
    server.use(
      http.get(at('/teams/:team/tokens'), () => page(there)),
      http.delete(at('/teams/:team/tokens/:token'), () => {
        there = [];
        return new HttpResponse(null, { status: 204 });
      }),
    );
    const { user } = show(<Tokens team={team('owner')} uploadSteps={() => null} />);
    await user.click(await screen.findByRole('button', { name: 'Revoke ci' }));
    const question = await screen.findByRole('dialog');
    expect(question).toHaveTextContent('Never used.');
    await user.click(within(question).getByRole('button', { name: 'Revoke token' }));
    expect(await screen.findByText('No tokens yet.')).toBeInTheDocument();
  });

  it('are edited with rate limits, of which an empty one is sent as null', async () => {
    const sent: unknown[] = [];
    server.use(
      http.get(at('/teams/:team/tokens'), () => page([token({ requests_per_minute: 60 })])),
      http.put(at('/teams/:team/tokens/:token'), async ({ request }) => {
        sent.push(await request.json());
        return HttpResponse.json(token({}));
      }),
    );
    const { user } = show(<Tokens team={team('owner')} uploadSteps={() => null} />);
    await user.click(await screen.findByRole('button', { name: 'Edit ci' }));
    const form = within(await screen.findByRole('dialog'));
    await user.clear(form.getByLabelText('Requests per minute'));
    await user.type(form.getByLabelText('Uploads per minute'), '5');
    await user.click(form.getByRole('button', { name: 'Save' }));
    await waitFor(() =>
      expect(sent).toEqual([{ name: 'ci', requests_per_minute: null, uploads_per_minute: 5 }]),
    );
  });
});

describe('Team settings', () => {
  it('allow an owner to save the name only after a change', async () => {
    const renamed = vi.fn();
    server.use(
      http.patch(at('/teams/:team'), async ({ request }) =>
        HttpResponse.json({ ...TEAM, ...((await request.json()) as object) }),
      ),
    );
    const { user } = show(
      <TeamSettings team={team('owner')} onRenamed={renamed} onGone={nothing} />,
    );
    const name = screen.getByLabelText(/^Name/);
    const save = screen.getByRole('button', { name: 'Save' });
    expect(save).toBeDisabled();
    await user.type(name, '  ');
    expect(save).toBeDisabled();
    await user.clear(name);
    await user.type(name, ' Southwind ');
    await user.click(save);
    await waitFor(() => expect(renamed).toHaveBeenCalledOnce());
    expect(name).toHaveValue('Southwind');
  });

  it('delete the team after its name was typed', async () => {
    const gone = vi.fn();
    const deleted = vi.fn(() => new HttpResponse(null, { status: 204 }));
    server.use(http.delete(at('/teams/:team'), deleted));
    const { user } = show(<TeamSettings team={team('owner')} onRenamed={nothing} onGone={gone} />);
    await user.click(screen.getByRole('button', { name: 'Delete Northwind' }));
    const remove = await screen.findByRole('button', { name: 'Delete team' });
    await user.type(screen.getByLabelText('Type northwind to confirm'), 'northwin');
    expect(remove).toBeDisabled();
    await user.type(screen.getByLabelText('Type northwind to confirm'), 'd');
    await user.click(remove);
    await waitFor(() => expect(gone).toHaveBeenCalledOnce());
    expect(deleted).toHaveBeenCalledOnce();
  });

  it('require the name again when the confirmation is reopened', async () => {
    server.use(
      http.delete(at('/teams/:team'), () =>
        problem(409, { title: 'Refused', detail: 'A bisect is running.' }),
      ),
    );
    const { user } = show(
      <TeamSettings team={team('owner')} onRenamed={nothing} onGone={nothing} />,
    );
    const ask = screen.getByRole('button', { name: 'Delete Northwind' });
    await user.click(ask);
    await enter(user, await screen.findByLabelText('Type northwind to confirm'), 'northwind');
    await user.click(screen.getByRole('button', { name: 'Delete team' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('A bisect is running.');
    await user.click(screen.getByRole('button', { name: 'Cancel' }));
    await user.click(ask);
    expect(await screen.findByLabelText('Type northwind to confirm')).toHaveValue('');
    expect(screen.getByRole('button', { name: 'Delete team' })).toBeDisabled();
    expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  });

  it('do not allow an admin to rename or delete the team', () => {
    show(<TeamSettings team={team('admin')} onRenamed={nothing} onGone={nothing} />);
    expect(screen.getByLabelText(/^Name/)).toBeDisabled();
    expect(screen.queryByRole('button', { name: /Delete/ })).not.toBeInTheDocument();
  });
});
