/** Credentials for an external server: given once, for one host, and never read back. */
export type CredentialsKind = 'none' | 'bearer' | 'basic';

export const CREDENTIALS: Record<CredentialsKind, string> = {
  none: 'no credentials',
  bearer: 'access token',
  basic: 'user name and password',
};

export type Secrets = { token: string; username: string; password: string };
export const NO_SECRETS: Secrets = { token: '', username: '', password: '' };

/** What is sent of them: only what the kind has. */
export function credentialsOf(kind: CredentialsKind, { token, username, password }: Secrets) {
  if (kind === 'bearer') return { kind, token: token.trim() };
  return kind === 'basic' ? { kind, username, password } : { kind };
}

/** Scheme and host with its port, as the server compares them; nothing while no whole address is written. */
function hostOf(url: string): string | null {
  const found = /^(https?):\/\/([^/]+)/iu.exec(url.trim());
  return found ? `${found[1]!}://${found[2]!}`.toLowerCase() : null;
}

/** Credentials were given for a host and never go to another one: a new address wants them again. */
export const needsSecretAgain = (
  known: { url: string | null; credentials: CredentialsKind } | null,
  url: string,
): boolean =>
  known?.url != null && known.credentials !== 'none' && hostOf(url) !== hostOf(known.url);
