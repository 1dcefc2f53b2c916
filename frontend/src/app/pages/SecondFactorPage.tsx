import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { AuthFrame, SecondFactors, sessionQuery, signOut } from '../../features/platform/accounts';
import { useTitle } from '../../ui';
import { Link } from '../Link';

/** The page for members of a team that requires a second factor, if their session has none. */
export function SecondFactorPage() {
  useTitle('Second factor');
  const session = useQuery(sessionQuery);
  const navigate = useNavigate();
  const client = useQueryClient();
  const leave = useMutation({
    mutationFn: signOut,
    onSuccess: async () => {
      client.clear();
      await navigate({ to: '/sign-in', search: {} });
    },
  });
  const isDone = session.data?.is_multi_factor;
  return (
    <AuthFrame
      title={isDone ? 'You can continue' : 'Your team requires a second factor'}
      sub={isDone ? 'This session has a second factor.' : 'Add one to continue.'}
      foot={
        <>
          <Link to="/" className="link">
            {isDone ? 'Continue' : 'Try again'}
          </Link>{' '}
          <button type="button" className="link" onClick={() => leave.mutate()}>
            Sign out
          </button>
        </>
      }
    >
      <SecondFactors />
    </AuthFrame>
  );
}
