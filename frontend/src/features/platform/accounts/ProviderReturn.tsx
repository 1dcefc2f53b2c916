import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import { ErrorState, useTitle } from '../../../ui';
import { AuthFrame } from './AuthFrame';
import {
  finishProviderSignIn,
  SAML_RESPONSE_KEY,
  type ProviderReturnResult,
} from './provider-queries';

const ENDING = 'end of a sign-in';

const NOTHING = { state: '', response: '=' };

function read(search: string): ProviderReturnResult {
  const params = new URLSearchParams(search);
  if (params.has('saml')) {
    const left = window.sessionStorage.getItem(SAML_RESPONSE_KEY);
    const brought = left === null ? NOTHING : (JSON.parse(left) as typeof NOTHING);
    return { protocol: 'saml', ...brought };
  }
  const one = (name: string) => params.get(name) ?? undefined;
  return {
    protocol: 'oidc',
    state: one('state') ?? '',
    code: one('code'),
    iss: one('iss'),
    error: one('error'),
  };
}

function finish(returned: ProviderReturnResult) {
  window.sessionStorage.removeItem(SAML_RESPONSE_KEY);
  return finishProviderSignIn(returned);
}

/**
 * The page to which an identity provider redirects. It sends what the provider returned to the
 * server once. The next page replaces its URL in the browser history.
 */
export function ProviderReturn({
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
  const [returned] = useState(() => read(search));
  const ending = useQuery({
    queryKey: [ENDING, returned.state],
    queryFn: () => finish(returned),
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
