import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { ConfirmationMethods } from '../../../api';
import { aSession } from '../../../testing/api-factories';
import { at, problem, server } from '../../../testing/mock-api';
import { enter, show } from '../../../testing/render';
import { DeleteAccount } from './DeleteAccount';
import { SecondFactors } from './SecondFactors';

const METHODS: ConfirmationMethods = {
  state: 'sealed',
  has_password: true,
  needs_second_factor: true,
  has_totp: true,
  passkey_options: null,
  provider: null,
  saml_provider: null,
};
const tooOld = () =>
  problem(403, {
    type: 'urn:slowpath:sign-in-too-old',
    title: 'Not allowed',
    detail: 'This change requires a recent sign-in.',
  });

let isConfirmed = false;
let sent: unknown[] = [];
let changes: unknown[] = [];

/** Serves a session that is too old until it is confirmed with the code 123456. */
function serve(methods: Partial<ConfirmationMethods> = {}) {
  server.use(
    http.get(at('/session/confirmation'), () => HttpResponse.json({ ...METHODS, ...methods })),
    http.post(at('/session/confirmation'), async ({ request }) => {
      const body = (await request.json()) as { code?: string };
      sent.push(body);
      if (body.code !== '123456')
        return problem(401, { title: 'Not signed in', detail: 'The code is not valid.' });
      isConfirmed = true;
      return new HttpResponse(null, { status: 204 });
    }),
    http.post(at('/user/deletion'), async ({ request }) => {
      if (!isConfirmed) return tooOld();
      changes.push(await request.json());
      return problem(409, { title: 'Refused', detail: 'You are the last owner.' });
    }),
    http.post(at('/user/recovery-codes'), () =>
      isConfirmed
        ? HttpResponse.json({ recovery_codes: ['aaaa-bbbb'] }, { status: 201 })
        : tooOld(),
    ),
    http.get(at('/user/second-factors'), () =>
      HttpResponse.json({
        factors: [
          {
            id: '1',
            kind: 'totp',
            name: 'Phone',
            created_at: '2026-11-21T09:12:00Z',
            last_used_at: null,
          },
        ],
        recovery_codes_left: 3,
      }),
    ),
  );
}

beforeEach(() => {
  isConfirmed = false;
  sent = [];
  changes = [];
});

describe('Change that requires a recent sign-in', () => {
  it('is repeated with its content after confirmation in a dialog', async () => {
    serve();
    const session = aSession();
    const { user } = show(<DeleteAccount session={session} />);
    await user.click(screen.getByRole('button', { name: 'Delete your account' }));
    await enter(user, await screen.findByLabelText(/^Type/), session.user.email);
    await enter(user, screen.getByLabelText(/^Password/), 'a long secret');
    await user.click(screen.getByRole('button', { name: 'Delete permanently' }));

    const dialog = await screen.findByRole('dialog', { name: 'Confirm your identity' });
    const password = within(dialog).getByLabelText(/^Password/);
    await waitFor(() => expect(password).toHaveFocus());
    await enter(user, password, 'a long secret');
    await enter(user, within(dialog).getByLabelText(/Code of your app/), '000000');
    await user.click(within(dialog).getByRole('button', { name: 'Confirm' }));
    expect(await within(dialog).findByRole('alert')).toHaveTextContent('The code is not valid.');
    const code = within(dialog).getByLabelText(/Code of your app/);
    await user.clear(code);
    await enter(user, code, '123456');
    await user.keyboard('{Enter}');

    await waitFor(() => expect(changes).toHaveLength(1));
    expect(await screen.findByRole('alert')).toHaveTextContent('You are the last owner.');
    expect(changes).toEqual([{ email: session.user.email, current_password: 'a long secret' }]);
    expect(sent).toEqual([
      { state: 'sealed', password: 'a long secret', code: '000000' },
      { state: 'sealed', password: 'a long secret', code: '123456' },
    ]);
    expect(screen.queryByText('Confirm your identity')).not.toBeInTheDocument();
  });

  it('fails after Escape in the confirmation dialog, and leaves the first dialog open', async () => {
    serve();
    const session = aSession();
    const { user } = show(<DeleteAccount session={session} />);
    await user.click(screen.getByRole('button', { name: 'Delete your account' }));
    await enter(user, await screen.findByLabelText(/^Type/), session.user.email);
    await enter(user, screen.getByLabelText(/^Password/), 'a long secret');
    await user.click(screen.getByRole('button', { name: 'Delete permanently' }));
    const dialog = await screen.findByRole('dialog', { name: 'Confirm your identity' });
    await waitFor(() => expect(within(dialog).getByLabelText(/^Password/)).toHaveFocus());
    await user.keyboard('{Escape}');
    expect(await screen.findByRole('alert')).toHaveTextContent('requires a recent sign-in.');
    expect(screen.getByRole('dialog', { name: 'Delete your account?' })).toBeInTheDocument();
    expect(screen.queryByText('Confirm your identity')).not.toBeInTheDocument();
    expect(changes).toEqual([]);
  });

  it.each([
    ['oidc', { provider: 'Corp' }],
    ['saml', { saml_provider: 'Corp' }],
  ])('is confirmed at the %s provider by a user without a password', async (protocol, named) => {
    serve({ has_password: false, needs_second_factor: false, has_totp: false, ...named });
    const asked: unknown[] = [];
    server.use(
      http.post(at(`/${protocol}/confirmation-requests`), async ({ request }) => {
        asked.push(await request.json());
        return HttpResponse.json({ url: 'https://corp.example/authorize' }, { status: 201 });
      }),
    );
    const assign = vi.fn();
    vi.stubGlobal('location', { pathname: '/t/x/settings', search: '?tab=account', assign });
    const { user } = show(<SecondFactors />);
    await user.click(await screen.findByRole('button', { name: 'Replace them' }));
    await user.click(await screen.findByRole('button', { name: 'Sign in with Corp again' }));
    await waitFor(() => expect(assign).toHaveBeenCalledWith('https://corp.example/authorize'));
    vi.unstubAllGlobals();
    expect(asked).toEqual([{ next: '/t/x/settings?tab=account' }]);
    expect(screen.queryByLabelText(/^Password/)).not.toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Close' }));
    await waitFor(() =>
      expect(screen.queryByText('Confirm your identity')).not.toBeInTheDocument(),
    );
  });
});
