/** Who forgot their password asks for a link by e-mail, and chooses another by it. */
import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode, type SubmitEvent } from 'react';
import { calls } from '../../api';
import { ErrorState, useTitle } from '../../ui';
import { Entrance } from './Entrance';
import classes from './Entrance.module.css';

const SHORTEST = 10;

export function ForgottenForm({ foot }: { foot: ReactNode }) {
  useTitle('Forgotten password');
  const [email, setEmail] = useState('');
  const ask = useMutation({ mutationFn: () => calls.passwordsForget({ body: { email } }) });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    ask.mutate();
  };
  if (ask.isSuccess)
    return (
      <Entrance
        title="Look into your mail"
        sub={
          <>
            If somebody signed up as <b>{email}</b>, a link is on its way there. It is good once,
            for an hour.
          </>
        }
        foot={foot}
      />
    );
  return (
    <Entrance
      title="Choose another password"
      sub="A link goes to the e-mail you signed up with."
      foot={foot}
    >
      <form className={classes.form} onSubmit={submit}>
        <TextInput
          label="E-mail"
          type="email"
          autoComplete="username"
          required
          value={email}
          data-autofocus
          onChange={(event) => {
            setEmail(event.currentTarget.value);
          }}
        />
        {ask.error && <ErrorState error={ask.error} compact />}
        <Button type="submit" variant="filled" loading={ask.isPending}>
          Send the link
        </Button>
      </form>
    </Entrance>
  );
}

/** `secret` stands behind the `#` of the address, which no server is told. */
export function NewPasswordForm({ secret, foot }: { secret: string; foot: ReactNode }) {
  useTitle('New password');
  const [password, setPassword] = useState('');
  const choose = useMutation({
    mutationFn: () => calls.passwordsChoose({ body: { secret, password } }),
  });
  const short = password !== '' && password.length < SHORTEST;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (password.length >= SHORTEST) choose.mutate();
  };
  if (choose.isSuccess)
    return (
      <Entrance
        title="The password is changed"
        sub="You are signed out everywhere. Sign in with the new one."
        foot={foot}
      />
    );
  return (
    <Entrance title="Choose another password" foot={foot}>
      <form className={classes.form} onSubmit={submit}>
        <PasswordInput
          label="New password"
          autoComplete="new-password"
          required
          value={password}
          data-autofocus
          description={`At least ${SHORTEST} characters; length matters more than symbols`}
          error={
            short
              ? `${password.length} characters so far, at least ${SHORTEST} are needed`
              : undefined
          }
          onChange={(event) => {
            setPassword(event.currentTarget.value);
          }}
        />
        {choose.error && <ErrorState error={choose.error} compact />}
        <Button type="submit" variant="filled" loading={choose.isPending}>
          Change the password
        </Button>
      </form>
    </Entrance>
  );
}
