import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import {
  ClosedTeams,
  AuthFrame,
  PasswordResetForm,
  NewPasswordForm,
  ProviderReturn,
  SignInForm,
  SignUpForm,
  acceptInvitation,
  createTeam,
  invitationQuery,
  sessionQuery,
  signOut,
  signInMethodsQuery,
} from '../../features/platform/accounts';
import { ErrorState, Timestamp, useTitle, onText } from '../../ui';
import { Link } from '../Link';
import { safeReturnPath } from '../return-path';

const signInRoute = getRouteApi('/sign-in');
const signUpRoute = getRouteApi('/sign-up');
const invitationRoute = getRouteApi('/invitations/$secret');
const newTeamRoute = getRouteApi('/new-team');

export function SignInPage() {
  const { next } = signInRoute.useSearch();
  const navigate = useNavigate();
  const ways = useQuery(signInMethodsQuery);
  const signsUp = !ways.data || (ways.data.are_passwords_enabled && ways.data.sign_up);
  const forgotten = ways.data?.are_passwords_enabled && ways.data.is_mail_configured && (
    <>
      <Link to="/password-reset" className="link">
        Forgot your password?
      </Link>{' '}
    </>
  );
  return (
    <SignInForm
      next={next}
      onDone={() => void navigate({ href: safeReturnPath(next), replace: true })}
      foot={
        <>
          {forgotten}
          {signsUp ? (
            <>
              No account?{' '}
              <Link to="/sign-up" search={{ next }} className="link">
                Create an account
              </Link>
            </>
          ) : (
            'No account? Ask an admin of your team for an invitation.'
          )}
        </>
      }
    />
  );
}

export function ProviderReturnPage() {
  const navigate = useNavigate();
  const { history } = useRouter();
  return (
    <ProviderReturn
      search={history.location.search}
      onDone={(next) => void navigate({ href: safeReturnPath(next), replace: true })}
      foot={
        <Link to="/sign-in" search={{}} className="link">
          Start over
        </Link>
      }
    />
  );
}

export function SignUpPage() {
  const { next, invitation } = signUpRoute.useSearch();
  const navigate = useNavigate();
  return (
    <SignUpForm
      invitation={invitation}
      next={next}
      onDone={() => void navigate({ href: safeReturnPath(next), replace: true })}
      foot={
        <>
          Already have an account?{' '}
          <Link to="/sign-in" search={{ next }} className="link">
            Sign in
          </Link>
        </>
      }
    />
  );
}

/**
 * Shows an invitation, to signed-out users too. To accept it, they sign in or sign up and return to
 * this page.
 */
export function InvitationPage() {
  useTitle('Invitation');
  const { secret } = invitationRoute.useParams();
  const invitation = useQuery(invitationQuery(secret));
  const session = useQuery(sessionQuery);
  const navigate = useNavigate();
  const client = useQueryClient();
  const accept = useMutation({
    mutationFn: () => acceptInvitation(secret),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
      const slug = invitation.data?.team.slug;
      await navigate(slug ? { to: '/t/$team/comparisons', params: { team: slug } } : { to: '/' });
    },
  });
  if (invitation.error) {
    return (
      <AuthFrame
        title="This invitation is not valid"
        foot={
          <Link to="/" className="link">
            Go to Slowpath
          </Link>
        }
      >
        <ErrorState error={invitation.error} />
      </AuthFrame>
    );
  }
  if (!invitation.data || session.isPending) return <AuthFrame title="Loading the invitation" />;
  const { team, role, expires_at } = invitation.data;
  const here = `/invitations/${encodeURIComponent(secret)}`;
  return (
    <AuthFrame
      title={`Join ${team.name}`}
      sub={
        <>
          You are invited as <b>{role}</b>. The invitation expires{' '}
          <Timestamp at={expires_at} exact />.
        </>
      }
      foot={
        session.data ? (
          <>Signed in as {session.data.user.email}.</>
        ) : (
          <>
            <Link to="/sign-in" search={{ next: here }} className="link">
              Sign in
            </Link>{' '}
            and open this link again, or{' '}
            <Link to="/sign-up" search={{ invitation: secret }} className="link">
              create an account
            </Link>
            .
          </>
        )
      }
    >
      {accept.error && <ErrorState error={accept.error} />}
      {session.data && (
        <Button mt="lg" variant="filled" loading={accept.isPending} onClick={() => accept.mutate()}>
          Join {team.name}
        </Button>
      )}
    </AuthFrame>
  );
}

export function NewTeamPage() {
  useTitle('New team');
  const { session } = newTeamRoute.useRouteContext();
  const [name, setName] = useState('');
  const navigate = useNavigate();
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: createTeam,
    onSuccess: async (team) => {
      await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
      await navigate({ to: '/t/$team/comparisons', params: { team: team.slug } });
    },
  });
  const leave = useMutation({
    mutationFn: signOut,
    onSuccess: async ({ provider_sign_out_url: there }) => {
      client.clear();
      if (there) window.location.assign(there);
      else await navigate({ to: '/sign-in', search: {} });
    },
  });
  const inNone = session.teams.length === 0;
  return (
    <AuthFrame
      title="Create your team"
      sub={
        inNone
          ? 'You are not a member of any team. Uploads belong to a team: create one, or ask for an invitation.'
          : 'Uploads belong to a team. Others join by invitation.'
      }
      foot={
        inNone ? (
          <>
            Signed in as {session.user.email}.{' '}
            <button type="button" className="link" onClick={() => leave.mutate()}>
              Sign out
            </button>
          </>
        ) : (
          <Link to="/" className="link">
            Back
          </Link>
        )
      }
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate({ name });
        }}
      >
        <TextInput mt="lg" label="Name" required value={name} onChange={onText(setName)} />
        {create.error && <ErrorState error={create.error} compact />}
        <Button mt="md" type="submit" variant="filled" loading={create.isPending}>
          Create team
        </Button>
      </form>
      {inNone && (
        <ClosedTeams
          onReopened={(slug) => void navigate({ to: '/t/$team', params: { team: slug } })}
        />
      )}
    </AuthFrame>
  );
}

const toSignIn = (
  <Link to="/sign-in" search={{}} className="link">
    Sign in
  </Link>
);

export function PasswordResetPage() {
  return <PasswordResetForm foot={toSignIn} />;
}

export function NewPasswordPage() {
  const { history } = useRouter();
  const [secret] = useState(() => history.location.hash.replace(/^#/u, ''));
  if (secret === '')
    return (
      <AuthFrame
        title="This link is incomplete"
        sub="The part after # is missing. Copy the whole link from the email."
        foot={
          <Link to="/password-reset" className="link">
            Request a new link
          </Link>
        }
      />
    );
  return <NewPasswordForm secret={secret} foot={toSignIn} />;
}
