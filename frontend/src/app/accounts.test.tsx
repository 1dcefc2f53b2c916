import { screen, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import { aSession } from '../testing/factories';
import { open } from '../testing/render';
import { at, problem, server } from '../testing/server';
import { safeNext } from './router-next';

/** Signed out until the right password was sent. */
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
            remedy: 'Check both.',
          });
    }),
  );
}

describe('signing in', () => {
  it('leads back to where one wanted to go, and says why it failed before', async () => {
    signedOut();
    const { user, where } = open('/t/northwind/files?q=cpu');
    await user.type(await screen.findByLabelText('E-mail'), 'mira@northwind.example');
    const password = document.querySelector('input[type=password]')!;
    await user.type(password, 'wrong');
    await user.click(screen.getByRole('button', { name: 'Sign in' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('E-mail or password is wrong.');
    await user.clear(password);
    await user.type(password, 'correct horse');
    await user.click(screen.getByRole('button', { name: 'Sign in' }));
    expect(await screen.findByRole('heading', { name: 'Files' })).toBeInTheDocument();
    expect(where()).toContain('/t/northwind/files?q=cpu');
  });

  it('never leads to another site', () => {
    expect(
      ['//evil.example', '/\\evil.example', 'https://evil.example', undefined].map(safeNext),
    ).toEqual(['/', '/', '/', '/']);
    expect(safeNext('/t/a/files')).toBe('/t/a/files');
  });

  it("does not show another team's pages", async () => {
    open('/t/others/comparisons');
    expect(await screen.findByText('Nothing stands at this address')).toBeInTheDocument();
  });
});

describe('tokens', () => {
  it('shows a secret once, beside how it is used', async () => {
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
    expect(screen.getByText(/shown this once/)).toBeInTheDocument();
  });
});
