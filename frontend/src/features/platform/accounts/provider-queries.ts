/** Identity providers: how a browser goes there by each protocol, and what it returns with. */
import { calls } from '../../../api';

export type Provider = { protocol: 'oidc' | 'saml'; name: string };
type Named = { name: string } | null;

/** What the identity provider sent a browser back with. */
export type ProviderReturnResult =
  | { protocol: 'oidc'; state: string; code?: string; iss?: string; error?: string }
  | { protocol: 'saml'; state: string; response: string };

/** Where the page that receives the form of a SAML provider leaves what it brought. */
export const SAML_RESPONSE_KEY = 'slowpath.saml';

/** The configured providers. */
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
