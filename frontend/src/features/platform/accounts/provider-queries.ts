/**
 * Identity providers: the redirects to them for each protocol, and the values with which they
 * redirect back.
 */
import { calls } from '../../../api';

export type Provider = { protocol: 'oidc' | 'saml'; name: string };
type Named = { name: string } | null;

/** The values with which the identity provider redirected back. */
export type ProviderReturnResult =
  | { protocol: 'oidc'; state: string; code?: string; iss?: string; error?: string }
  | { protocol: 'saml'; state: string; response: string };

/** The key under which the page that receives the form of a SAML provider stores the response. */
export const SAML_RESPONSE_KEY = 'slowpath.saml';

/** Returns the configured identity providers. */
export function listProviders(methods: { oidc: Named; saml: Named } | undefined): Provider[] {
  return (['oidc', 'saml'] as const).flatMap((protocol) => {
    const name = methods?.[protocol]?.name;
    return name === undefined ? [] : [{ protocol, name }];
  });
}

export const startProviderSignIn = (
  { protocol }: Provider,
  body: { next?: string; invitation?: string },
) =>
  protocol === 'oidc'
    ? calls.oidcCreateSignInRequest({ body })
    : calls.samlCreateSignInRequest({ body });

export const startProviderConfirmation = ({ protocol }: Provider, next: string) =>
  protocol === 'oidc'
    ? calls.oidcCreateConfirmationRequest({ body: { next } })
    : calls.samlCreateConfirmationRequest({ body: { next } });

export const startIdentityLink = ({ protocol }: Provider, next: string) =>
  protocol === 'oidc'
    ? calls.oidcCreateLinkRequest({ body: { next } })
    : calls.samlCreateLinkRequest({ body: { next } });

export function finishProviderSignIn(returned: ProviderReturnResult) {
  if (returned.protocol === 'saml') {
    const { state, response } = returned;
    return calls.samlCallback({ body: { state, response } });
  }
  const { state, code, iss, error } = returned;
  return calls.oidcCallback({ body: { state, code, iss, error } });
}
