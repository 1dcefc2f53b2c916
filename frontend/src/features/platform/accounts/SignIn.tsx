import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Suspense, lazy, useState, type ReactNode, type SubmitEvent } from 'react';
import { Problem, type Session } from '../../../api';
import { ErrorState, SkeletonRows, countOf, useTitle, onText } from '../../../ui';
import { AuthFrame } from './AuthFrame';
import classes from './AuthFrame.module.css';
import { ProductIntroduction } from './ProductIntroduction';
import {
  startOidcSignIn,
  sessionQuery,
  signIn,
  signUp,
  signInMethodsQuery,
} from './account-queries';

const SecondStep = lazy(async () => ({ default: (await import('./SecondStep')).SecondStep }));

/** The shortest password the server takes. */
const SHORTEST = 10;

type DoneProps = {
  onDone: (session: Session) => void;
  foot: ReactNode;
  title?: string;
  sub?: ReactNode;
  email?: string;
  /** Where the sign-in service shall lead back to. */
  next?: string;
};

/** To the operator's sign-in service and back. Leaves the page. */
function AtIssuer({
  name,
  next,
  invitation,
}: {
  name: string;
  next?: string;
  invitation?: string;
}) {
  const begin = useMutation({
    mutationFn: () => startOidcSignIn({ next, invitation }),
    onSuccess: ({ url }) => window.location.assign(url),
  });
  return (
    <div className={classes.issuer}>
      <Button
        variant="filled"
        fullWidth
        loading={begin.isPending || begin.isSuccess}
        onClick={() => begin.mutate()}
      >
        Sign in with {name}
      </Button>
      {begin.error && <ErrorState error={begin.error} compact />}
    </div>
  );
}

/** How people sign in here; until they are loaded neither is shown, and if loading fails the form is shown. */
function Ways({
  next,
  invitation,
  children,
}: {
  next?: string;
  invitation?: string;
  children: ReactNode;
}) {
  const ways = useQuery(signInMethodsQuery);
  if (ways.isPending)
    return (
      <div className={classes.form}>
        <SkeletonRows rows={3} />
      </div>
    );
  const issuer = ways.data?.oidc;
  const passwords = ways.data?.are_passwords_enabled ?? true;
  return (
    <>
      {issuer && <AtIssuer name={issuer.name} next={next} invitation={invitation} />}
      {issuer && passwords && <p className={classes.or}>or by password</p>}
      {passwords && children}
    </>
  );
}

/** Keep the new session and clear the cached data of a previous user. */
function useOpened(onDone: (session: Session) => void) {
  const client = useQueryClient();
  return async () => {
    client.clear();
    onDone(await client.query(sessionQuery));
  };
}

export function SignInForm({
  onDone,
  foot,
  title = 'Sign in',
  sub,
  email: known = '',
  next,
}: DoneProps) {
  useTitle('Sign in');
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState('');
  const opened = useOpened(onDone);
  const beside = useQuery(signInMethodsQuery).data?.oidc; // then the sign-in service is what most people take
  const enter = useMutation({ mutationFn: signIn, onSuccess: opened });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    enter.mutate({ email, password });
  };
  if (enter.error instanceof Problem && enter.error.slug === 'second-factor-required')
    return (
      <AuthFrame title="Second factor" sub={email} foot={foot}>
        <Suspense fallback={<SkeletonRows rows={2} />}>
          <SecondStep onDone={opened} />
        </Suspense>
      </AuthFrame>
    );
  return (
    <AuthFrame title={title} sub={sub} foot={foot} beside={<ProductIntroduction />}>
      <Ways next={next}>
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
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            required
            value={password}
            onChange={onText(setPassword)}
          />
          {enter.error && <ErrorState error={enter.error} compact />}
          <Button type="submit" variant={beside ? 'default' : 'filled'} loading={enter.isPending}>
            Sign in
          </Button>
        </form>
      </Ways>
    </AuthFrame>
  );
}

export function SignUpForm({
  onDone,
  foot,
  title = 'Create an account',
  sub,
  email: known = '',
  next,
  invitation,
}: DoneProps & { invitation?: string }) {
  useTitle('Create an account');
  const [name, setName] = useState('');
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState('');
  const opened = useOpened(onDone);
  const beside = useQuery(signInMethodsQuery).data?.oidc; // then the sign-in service is what most people take
  const enter = useMutation({ mutationFn: signUp, onSuccess: opened });
  const short = password !== '' && password.length < SHORTEST;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (password.length >= SHORTEST) enter.mutate({ email, name, password, invitation });
  };
  return (
    <AuthFrame title={title} sub={sub} foot={foot} beside={<ProductIntroduction />}>
      <Ways next={next} invitation={invitation}>
        <form className={classes.form} onSubmit={submit}>
          <TextInput
            label="Name"
            autoComplete="name"
            required
            value={name}
            onChange={onText(setName)}
          />
          <TextInput
            label="Email"
            type="email"
            autoComplete="username"
            required
            value={email}
            onChange={onText(setEmail)}
          />
          <PasswordInput
            label="Password"
            autoComplete="new-password"
            required
            value={password}
            description={`At least ${SHORTEST} characters. Length matters more than symbols`}
            error={
              short
                ? `${countOf(password.length, 'character')} so far, at least ${SHORTEST} are needed`
                : undefined
            }
            onChange={onText(setPassword)}
          />
          {enter.error && <ErrorState error={enter.error} compact />}
          <Button type="submit" variant={beside ? 'default' : 'filled'} loading={enter.isPending}>
            Create account
          </Button>
        </form>
      </Ways>
    </AuthFrame>
  );
}
