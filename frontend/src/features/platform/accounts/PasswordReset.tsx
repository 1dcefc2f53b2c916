/**
 * The forms of a password reset: the first requests a link by e-mail, the second sets a new
 * password by that link.
 */
import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode, type SubmitEvent } from 'react';
import { calls } from '../../../api';
import { ErrorState, countOf, useTitle, onText } from '../../../ui';
import { AuthFrame } from './AuthFrame';
import classes from './AuthFrame.module.css';

const SHORTEST = 10;

export function PasswordResetForm({ foot }: { foot: ReactNode }) {
  useTitle('Reset password');
  const [email, setEmail] = useState('');
  const ask = useMutation({ mutationFn: () => calls.passwordResetsCreate({ body: { email } }) });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    ask.mutate();
  };
  if (ask.isSuccess)
    return (
      <AuthFrame
        title="Check your email"
        sub={
          <>
            If an account exists for <b>{email}</b>, a link was sent. It is valid once, for one
            hour.
          </>
        }
        foot={foot}
      />
    );
  return (
    <AuthFrame
      title="Choose a new password"
      sub="A link is sent to the email address of your account."
      foot={foot}
    >
      <form className={classes.form} onSubmit={submit}>
        <TextInput
          label="Email"
          type="email"
          autoComplete="username"
          required
          value={email}
          data-autofocus
          onChange={onText(setEmail)}
        />
        {ask.error && <ErrorState error={ask.error} compact />}
        <Button type="submit" variant="filled" loading={ask.isPending}>
          Send link
        </Button>
      </form>
    </AuthFrame>
  );
}

/** `secret` is in the fragment of the URL, which is not sent to the server. */
export function NewPasswordForm({ secret, foot }: { secret: string; foot: ReactNode }) {
  useTitle('New password');
  const [password, setPassword] = useState('');
  const choose = useMutation({
    mutationFn: () => calls.passwordResetsConfirm({ body: { secret, password } }),
  });
  const short = password !== '' && password.length < SHORTEST;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (password.length >= SHORTEST) choose.mutate();
  };
  if (choose.isSuccess)
    return (
      <AuthFrame
        title="Password changed"
        sub="All sessions are signed out. Sign in with the new password."
        foot={foot}
      />
    );
  return (
    <AuthFrame title="Choose a new password" foot={foot}>
      <form className={classes.form} onSubmit={submit}>
        <PasswordInput
          label="New password"
          autoComplete="new-password"
          required
          value={password}
          data-autofocus
          description={`At least ${SHORTEST} characters. Length matters more than symbols`}
          error={
            short
              ? `${countOf(password.length, 'character')} so far, at least ${SHORTEST} are needed`
              : undefined
          }
          onChange={onText(setPassword)}
        />
        {choose.error && <ErrorState error={choose.error} compact />}
        <Button type="submit" variant="filled" loading={choose.isPending}>
          Change password
        </Button>
      </form>
    </AuthFrame>
  );
}
