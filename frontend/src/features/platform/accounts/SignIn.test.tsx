import { screen, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it, vi } from 'vitest';
import { aSession } from '../../../testing/api-factories';
import { at, problem, server } from '../../../testing/mock-api';
import { enter, show } from '../../../testing/render';
import { NewPasswordForm, PasswordResetForm } from './PasswordReset';
import { SignInForm, SignUpForm } from './SignIn';

const foot = <a href="/help">Help</a>;
const button = (name: string) => screen.findByRole('button', { name });

/** Records the bodies sent to a path; responds with `answer`. */
function record(path: string, answer: () => Response): unknown[] {
  const sent: unknown[] = [];
  server.use(
    http.post(at(path), async ({ request }) => {
      sent.push(await request.json());
      return answer();
    }),
  );
  return sent;
}

describe('Sign-in form', () => {
  it('sends email and password, and passes the session on', async () => {
    const sent = record('/session', () => HttpResponse.json(aSession(), { status: 201 }));
    const onDone = vi.fn();
    const { user } = show(
      <SignInForm onDone={onDone} foot={foot} email="mira@northwind.example" />,
    );
    expect(await screen.findByLabelText(/^Email/)).toHaveValue('mira@northwind.example');
    await enter(user, screen.getByLabelText(/^Password/), 'a long secret');
    await user.keyboard('{Enter}');
    await waitFor(() => expect(onDone).toHaveBeenCalledExactlyOnceWith(aSession()));
    expect(sent).toEqual([{ email: 'mira@northwind.example', password: 'a long secret' }]);
  });

  it('shows why it was rejected, and keeps the entered values', async () => {
    record('/session', () =>
      problem(401, { title: 'Not signed in', detail: 'Email or password is wrong.' }),
    );
    const onDone = vi.fn();
    const { user } = show(<SignInForm onDone={onDone} foot={foot} />);
    await enter(user, await screen.findByLabelText(/^Email/), 'mira@northwind.example');
    await enter(user, screen.getByLabelText(/^Password/), 'a guess');
    await user.click(await button('Sign in'));
    expect(await screen.findByRole('alert')).toHaveTextContent('Email or password is wrong.');
    expect(screen.getByLabelText(/^Email/)).toHaveValue('mira@northwind.example');
    expect(screen.getByLabelText(/^Password/)).toHaveValue('a guess');
    expect(onDone).not.toHaveBeenCalled();
  });

  it('shows the password field when the sign-in methods cannot be loaded', async () => {
    server.use(
      http.get(at('/auth/methods'), () => problem(403, { title: 'Refused', detail: 'No.' })),
    );
    show(<SignInForm onDone={vi.fn()} foot={foot} />);
    expect(await screen.findByLabelText(/^Password/)).toBeInTheDocument();
    expect(screen.queryByText('or by password')).not.toBeInTheDocument();
  });

  it('shows why a sign-in at a provider did not start', async () => {
    server.use(
      http.get(at('/auth/methods'), () =>
        HttpResponse.json({
          are_passwords_enabled: false,
          sign_up: true,
          is_mail_configured: false,
          oidc: { name: 'Corp' },
          saml: null,
        }),
      ),
    );
    const sent = record('/oidc/sign-in-requests', () =>
      problem(502, { title: 'Unreachable', detail: 'Corp does not answer.' }),
    );
    const { user } = show(<SignInForm onDone={vi.fn()} foot={foot} next="/t/northwind" />);
    await user.click(await button('Sign in with Corp'));
    expect(await screen.findByRole('alert')).toHaveTextContent('Corp does not answer.');
    expect(sent).toEqual([{ next: '/t/northwind' }]);
    expect(screen.queryByLabelText(/^Password/)).not.toBeInTheDocument();
    expect(await button('Sign in with Corp')).toBeEnabled();
  });

  it('offers a SAML provider beside an OpenID Connect provider', async () => {
    server.use(
      http.get(at('/auth/methods'), () =>
        HttpResponse.json({
          are_passwords_enabled: true,
          sign_up: true,
          is_mail_configured: false,
          oidc: { name: 'Corp' },
          saml: { name: 'Group' },
        }),
      ),
    );
    const sent = record('/saml/sign-in-requests', () =>
      problem(502, { title: 'Unreachable', detail: 'Group does not answer.' }),
    );
    const { user } = show(<SignInForm onDone={vi.fn()} foot={foot} next="/t/northwind" />);
    expect(await button('Sign in with Corp')).toBeEnabled();
    await user.click(await button('Sign in with Group'));
    expect(await screen.findByRole('alert')).toHaveTextContent('Group does not answer.');
    expect(sent).toEqual([{ next: '/t/northwind' }]);
    expect(screen.getByText('or by password')).toBeInTheDocument();
  });
});

describe('Sign-up form', () => {
  it('counts the characters of a short password, and does not send it', async () => {
    const sent = record('/sign-up', () => HttpResponse.json(aSession(), { status: 201 }));
    const onDone = vi.fn();
    const { user } = show(<SignUpForm onDone={onDone} foot={foot} invitation="s3cret" />);
    await enter(user, await screen.findByLabelText(/^Name/), 'Kai');
    await enter(user, screen.getByLabelText(/^Email/), 'kai@northwind.example');
    const password = screen.getByLabelText(/^Password/);
    await enter(user, password, '123456789');
    expect(screen.getByText('9 characters so far, at least 10 are needed')).toBeInTheDocument();
    await user.click(await button('Create account'));
    expect(sent).toEqual([]);
    await enter(user, password, '0');
    expect(screen.queryByText(/so far/)).not.toBeInTheDocument();
    await user.click(await button('Create account'));
    await waitFor(() => expect(onDone).toHaveBeenCalledOnce());
    expect(sent).toEqual([
      {
        email: 'kai@northwind.example',
        name: 'Kai',
        password: '1234567890',
        invitation: 's3cret',
      },
    ]);
  });

  it('shows the count of one character in the singular', async () => {
    const { user } = show(<SignUpForm onDone={vi.fn()} foot={foot} />);
    await enter(user, await screen.findByLabelText(/^Password/), '1');
    expect(screen.getByText('1 character so far, at least 10 are needed')).toBeInTheDocument();
  });
});

describe('Password reset', () => {
  it('requests a link, and does not reveal whether the account exists', async () => {
    const sent = record('/password-resets', () => new HttpResponse(null, { status: 202 }));
    const { user } = show(<PasswordResetForm foot={foot} />);
    await enter(user, screen.getByLabelText(/^Email/), 'kai@northwind.example');
    await user.click(await button('Send link'));
    expect(await screen.findByRole('heading', { name: 'Check your email' })).toBeInTheDocument();
    expect(screen.getByText(/^If an account exists for/)).toHaveTextContent(
      'If an account exists for kai@northwind.example, a link was sent.',
    );
    expect(sent).toEqual([{ email: 'kai@northwind.example' }]);
  });

  it('shows why no link was sent', async () => {
    record('/password-resets', () =>
      problem(429, { title: 'Too many requests', detail: 'Wait a minute.' }),
    );
    const { user } = show(<PasswordResetForm foot={foot} />);
    await enter(user, screen.getByLabelText(/^Email/), 'kai@northwind.example');
    await user.click(await button('Send link'));
    expect(await screen.findByRole('alert')).toHaveTextContent('Wait a minute.');
    expect(screen.getByLabelText(/^Email/)).toHaveValue('kai@northwind.example');
  });

  it('saves a new password only if it has enough characters', async () => {
    const sent = record('/password-resets/confirm', () => new HttpResponse(null, { status: 204 }));
    const { user } = show(<NewPasswordForm secret="s3cret" foot={foot} />);
    const password = screen.getByLabelText(/^New password/);
    await enter(user, password, '1');
    expect(screen.getByText('1 character so far, at least 10 are needed')).toBeInTheDocument();
    await user.click(await button('Change password'));
    expect(sent).toEqual([]);
    await enter(user, password, '234567890');
    await user.click(await button('Change password'));
    expect(await screen.findByRole('heading', { name: 'Password changed' })).toBeInTheDocument();
    expect(sent).toEqual([{ secret: 's3cret', password: '1234567890' }]);
  });

  it('shows why the password was not changed if the link was already used', async () => {
    record('/password-resets/confirm', () =>
      problem(410, { title: 'Gone', detail: 'The link was used.' }),
    );
    const { user } = show(<NewPasswordForm secret="s3cret" foot={foot} />);
    await enter(user, screen.getByLabelText(/^New password/), '1234567890');
    await user.click(await button('Change password'));
    expect(await screen.findByRole('alert')).toHaveTextContent('The link was used.');
  });
});
