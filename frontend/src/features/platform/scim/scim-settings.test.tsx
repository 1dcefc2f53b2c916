import { screen, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { ProvisionedMember, Role, TeamMembership } from '../../../api';
import { TEAM } from '../../../testing/api-factories';
import { at, page, problem, server } from '../../../testing/mock-api';
import { enter, show } from '../../../testing/render';
import { ScimSettings, stateOf } from './ScimSettings';

const team = (role: Role): TeamMembership => ({ ...TEAM, role });
const member = (changed: Partial<ProvisionedMember>): ProvisionedMember => ({
  id: 'm-1',
  user_name: 'ann@corp.example',
  name: 'Ann',
  groups: [],
  role: 'viewer',
  is_active: true,
  has_joined: true,
  is_managed: true,
  updated_at: '2026-11-20T08:00:00Z',
  ...changed,
});

function serve(members: ProvisionedMember[] = []) {
  server.use(
    http.get(at('/teams/:team/scim'), () =>
      HttpResponse.json({
        base_url: 'https://slowpath.example/scim/v2',
        last_synchronized_at: null,
      }),
    ),
    http.get(at('/teams/:team/provisioned-members'), () => page(members)),
    http.get(at('/teams/:team/tokens'), () => page([])),
  );
}

describe('SCIM settings', () => {
  it('show the SCIM URL, and that there are no synchronizations, members and tokens yet', async () => {
    serve();
    show(<ScimSettings team={team('owner')} />);
    expect(await screen.findByDisplayValue('https://slowpath.example/scim/v2')).toBeVisible();
    expect(screen.getByText(/Last synchronization: never/u)).toBeVisible();
    expect(await screen.findByText('No provisioned members yet.')).toBeVisible();
    expect(await screen.findByText(/No SCIM tokens yet/u)).toBeVisible();
  });

  it('create a token, and show its secret', async () => {
    serve();
    const sent: unknown[] = [];
    server.use(
      http.post(at('/teams/:team/tokens'), async ({ request }) => {
        sent.push(await request.json());
        return HttpResponse.json({ id: 't', scopes: ['scim'], secret: 'slp_once' });
      }),
    );
    const { user } = show(<ScimSettings team={team('owner')} />);
    await enter(user, await screen.findByLabelText(/Token for/u), 'Okta');
    await user.click(screen.getByRole('button', { name: 'Create SCIM token' }));
    expect(await screen.findByDisplayValue('slp_once')).toBeVisible();
    expect(sent).toEqual([{ name: 'Okta', scopes: ['scim'], expires_in_days: null }]);
  });

  it('allow only owners to create a token, with the reason', async () => {
    serve();
    show(<ScimSettings team={team('admin')} />);
    const button = await screen.findByRole('button', { name: 'Create SCIM token' });
    expect(button).toBeDisabled();
    expect(button).toHaveAttribute('title', expect.stringContaining('Only owners'));
  });

  it('list members with their states', async () => {
    serve([member({})]);
    show(<ScimSettings team={team('owner')} />);
    expect(await screen.findByText('managed')).toBeVisible();
    expect(stateOf(member({ is_active: false }))).toBe('inactive');
    expect(stateOf(member({ has_joined: false, is_managed: false }))).toContain('next sign-in');
    expect(stateOf(member({ is_managed: false }))).toContain('added by hand');
  });

  it('show why members could not be loaded', async () => {
    serve();
    server.use(
      http.get(at('/teams/:team/provisioned-members'), () =>
        problem(503, { detail: 'The database does not respond.' }),
      ),
    );
    show(<ScimSettings team={team('owner')} />);
    await waitFor(() => expect(screen.getByText(/does not respond/u)).toBeVisible());
  });
});
