import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, type ReactNode } from 'react';
import { ErrorState, useTitle } from '../../../ui';
import { AuthFrame } from './AuthFrame';
import { finishOidcSignIn, type OidcReturnResult } from './account-queries';

const ENDING = 'end of a sign-in';

function read(search: string): OidcReturnResult {
  const params = new URLSearchParams(search);
  const one = (name: string) => params.get(name) ?? undefined;
  return { state: one('state') ?? '', code: one('code'), iss: one('iss'), error: one('error') };
}

/** Where the sign-in service sends a browser back to. What it brings is handed on once, and does not stay in the address. */
export function OidcReturn({
  search,
  onDone,
  foot,
}: {
  search: string;
  onDone: (next: string) => void;
  foot: ReactNode;
}) {
  useTitle('Signing in');
  const client = useQueryClient();
  const returned = read(search);
  const ending = useQuery({
    queryKey: [ENDING, returned.state],
    queryFn: () => finishOidcSignIn(returned),
    retry: false,
    staleTime: Infinity,
    refetchOnMount: false,
    refetchOnReconnect: false,
    refetchOnWindowFocus: false,
  });
  const next = ending.data?.next;
  useEffect(() => {
    if (next === undefined) return;
    // Data cached for a previous user must not be shown.
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== ENDING });
    onDone(next);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- once, when it has ended
  }, [next]);
  if (ending.error)
    return (
      <AuthFrame title="Sign-in failed" foot={foot}>
        <ErrorState error={ending.error} />
      </AuthFrame>
    );
  return <AuthFrame title="Signing in" sub="Waiting for the identity provider." />;
}
