import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Suspense, lazy, useState, type ReactNode, type SubmitEvent } from 'react';
import { Problem, type Session } from '../../../api';
import { ErrorState, SkeletonRows, countOf, useTitle, onText } from '../../../ui';
import { AuthFrame } from './AuthFrame';
import classes from './AuthFrame.module.css';
import { ProductIntroduction } from './ProductIntroduction';
import { sessionQuery, signIn, signUp, signInMethodsQuery } from './account-queries';
import { listProviders, startProviderSignIn, type Provider } from './provider-queries';

const SecondStep = lazy(async () => ({ default: (await import('./SecondStep')).SecondStep }));

/** The minimum length of a password on the server. */
const SHORTEST = 10;

type DoneProps = {
  onDone: (session: Session) => void;
  foot: ReactNode;
  title?: string;
  sub?: ReactNode;
  email?: string;
  /** The path to which the identity provider shall return. */
  next?: string;
};

/** A button that redirects to an identity provider. */
function AtProvider({
  provider,
  next,
  invitation,
}: {
  provider: Provider;
  next?: string;
  invitation?: string;
}) {
  const begin = useMutation({
    mutationFn: () => startProviderSignIn(provider, { next, invitation }),
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
        Sign in with {provider.name}
      </Button>
      {begin.error && <ErrorState error={begin.error} compact />}
    </div>
  );
}

/**
 * The configured sign-in methods. Nothing is shown while they are loading, and the form if loading
 * them fails.
 */
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
  const providers = listProviders(ways.data);
  const passwords = ways.data?.are_passwords_enabled ?? true;
  return (
    <>
      {providers.map((one) => (
        <AtProvider key={one.protocol} provider={one} next={next} invitation={invitation} />
      ))}
      {providers.length > 0 && passwords && <p className={classes.or}>or by password</p>}
      {passwords && children}
    </>
  );
}

/** Returns a function that loads the new session and clears the cached data of a previous user. */
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
  const isBeside = listProviders(useQuery(signInMethodsQuery).data).length > 0; // then most users sign in there
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
          <Button type="submit" variant={isBeside ? 'default' : 'filled'} loading={enter.isPending}>
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
  const isBeside = listProviders(useQuery(signInMethodsQuery).data).length > 0; // then most users sign in there
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
          <Button type="submit" variant={isBeside ? 'default' : 'filled'} loading={enter.isPending}>
            Create account
          </Button>
        </form>
      </Ways>
    </AuthFrame>
  );
}
