import { screen, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it, vi } from 'vitest';
import { aSession } from '../../../testing/api-factories';
import { at, problem, server } from '../../../testing/mock-api';
import { enter, show } from '../../../testing/render';
import { SecondFactors } from './SecondFactors';
import { SignInForm } from './SignIn';

const FACTOR = {
  id: '00000000-0000-4000-8000-0000000000f1',
  kind: 'totp',
  name: 'Phone',
  created_at: '2026-11-21T09:12:00Z',
  last_used_at: null,
};

function serve(factors: object[], left: number) {
  server.use(
    http.get(at('/user/second-factors'), () =>
      HttpResponse.json({ factors, recovery_codes_left: left }),
    ),
  );
}

describe('Second factors', () => {
  it('are added with a code, and the recovery codes are shown until they are stored', async () => {
    serve([], 0);
    const sent: unknown[] = [];
    server.use(
      http.post(at('/user/second-factor-registrations'), () =>
        HttpResponse.json(
          {
            state: 'sealed',
            totp_secret: 'ABCD',
            totp_qr_code: 'data:image/svg+xml,x',
            passkey_options: null,
          },
          { status: 201 },
        ),
      ),
      http.post(at('/user/second-factors'), async ({ request }) => {
        sent.push(await request.json());
        return HttpResponse.json({ recovery_codes: ['aaaa-bbbb-cccc'] }, { status: 201 });
      }),
    );
    const { user } = show(<SecondFactors />);
    await user.click(await screen.findByRole('button', { name: 'Add an app' }));
    expect(await screen.findByAltText('QR code of the key')).toBeInTheDocument();
    await enter(user, screen.getByLabelText(/Code that the app shows/), '123456');
    await user.click(screen.getByRole('button', { name: 'Add' }));
    expect(await screen.findByText('aaaa-bbbb-cccc')).toBeInTheDocument();
    expect(sent).toEqual([{ kind: 'totp', name: 'Phone', state: 'sealed', proof: '123456' }]);
    await user.click(screen.getByRole('button', { name: 'I stored them' }));
    await waitFor(() => expect(screen.queryByText('aaaa-bbbb-cccc')).toBeNull());
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('are removed, and disappear from the list', async () => {
    serve([FACTOR], 3);
    server.use(
      http.delete(at(`/user/second-factors/${FACTOR.id}`), () => {
        serve([], 0);
        return new HttpResponse(null, { status: 204 });
      }),
    );
    const { user } = show(<SecondFactors />);
    await user.click(await screen.findByRole('button', { name: 'Remove Phone' }));
    expect(await screen.findByText('None. The password alone signs in.')).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Remove Phone' })).toBeNull();
  });

  it('show why one cannot be removed without a recent sign-in', async () => {
    serve([FACTOR], 3);
    server.use(
      http.delete(at(`/user/second-factors/${FACTOR.id}`), () =>
        problem(403, { title: 'Refused', detail: 'This requires a recent sign-in.' }),
      ),
    );
    const { user } = show(<SecondFactors />);
    expect(await screen.findByText(/3 unused recovery codes/)).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Remove Phone' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('This requires a recent sign-in.');
  });
});

describe('Second step of a sign-in', () => {
  it('accepts a code after the password', async () => {
    server.use(
      http.post(at('/session'), () =>
        problem(401, {
          type: 'urn:slowpath:second-factor-required',
          title: 'Not signed in',
          detail: 'The password is right.',
        }),
      ),
      http.get(at('/session/second-factor'), () =>
        HttpResponse.json({ has_totp: true, passkey_options: null }),
      ),
      http.post(at('/session/second-factor'), () => HttpResponse.json(aSession(), { status: 201 })),
    );
    const onDone = vi.fn();
    const { user } = show(<SignInForm onDone={onDone} foot={null} />);
    await enter(user, await screen.findByLabelText(/^Email/), 'mira@northwind.example');
    await enter(user, screen.getByLabelText(/^Password/), 'a long secret');
    await user.keyboard('{Enter}');
    await enter(user, await screen.findByLabelText(/Code of your app/), '123456');
    await user.click(screen.getByRole('button', { name: 'Continue' }));
    await waitFor(() => expect(onDone).toHaveBeenCalledOnce());
  });
});
