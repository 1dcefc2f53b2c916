import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode, type SubmitEvent } from 'react';
import type { Session } from '../../api';
import { ErrorState, useTitle } from '../../ui';
import { Entrance } from './Entrance';
import classes from './Entrance.module.css';
import { sessionQuery, signIn, signUp } from './queries';

/** The shortest password the server takes. */
const SHORTEST = 10;

type DoneProps = {
  onDone: (session: Session) => void;
  foot: ReactNode;
  title?: string;
  sub?: ReactNode;
  email?: string;
};

/** Keep the session that was just opened, and nothing of whoever was here before. */
function useOpened(onDone: (session: Session) => void) {
  const client = useQueryClient();
  return async () => {
    client.clear();
    onDone(await client.query(sessionQuery));
  };
}

export function SignInForm({ onDone, foot, title = 'Sign in', sub, email: known = '' }: DoneProps) {
  useTitle('Sign in');
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState('');
  const opened = useOpened(onDone);
  const enter = useMutation({ mutationFn: signIn, onSuccess: opened });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    enter.mutate({ email, password });
  };
  return (
    <Entrance title={title} sub={sub} foot={foot}>
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
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => {
            setPassword(event.currentTarget.value);
          }}
        />
        {enter.error && <ErrorState error={enter.error} compact />}
        <Button type="submit" variant="filled" loading={enter.isPending}>
          Sign in
        </Button>
      </form>
    </Entrance>
  );
}

export function SignUpForm({
  onDone,
  foot,
  title = 'Create an account',
  sub,
  email: known = '',
  invitation,
}: DoneProps & { invitation?: string }) {
  useTitle('Create an account');
  const [name, setName] = useState('');
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState('');
  const opened = useOpened(onDone);
  const enter = useMutation({ mutationFn: signUp, onSuccess: opened });
  const short = password !== '' && password.length < SHORTEST;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (password.length >= SHORTEST) enter.mutate({ email, name, password, invitation });
  };
  return (
    <Entrance title={title} sub={sub} foot={foot}>
      <form className={classes.form} onSubmit={submit}>
        <TextInput
          label="Name"
          autoComplete="name"
          required
          value={name}
          onChange={(event) => {
            setName(event.currentTarget.value);
          }}
        />
        <TextInput
          label="E-mail"
          type="email"
          autoComplete="username"
          required
          value={email}
          onChange={(event) => {
            setEmail(event.currentTarget.value);
          }}
        />
        <PasswordInput
          label="Password"
          autoComplete="new-password"
          required
          value={password}
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
        {enter.error && <ErrorState error={enter.error} compact />}
        <Button type="submit" variant="filled" loading={enter.isPending}>
          Create account
        </Button>
      </form>
    </Entrance>
  );
}
