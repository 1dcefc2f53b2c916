import { useQuery } from '@tanstack/react-query';
import { secondFactorsQuery } from './account-queries';

/** Beside a change of the account that users without a password or with a second factor can only make soon after signing in. */
export function RecentSignInNote({ hasPassword }: { hasPassword: boolean }) {
  const { data } = useQuery(secondFactorsQuery);
  if (hasPassword && !data?.factors.length) return null;
  return <p>Possible within 15 minutes of signing in, with your second factor if you have one.</p>;
}
