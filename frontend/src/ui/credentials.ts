/** Kind of the credentials for an external server: for one host, and never read back. */
export type CredentialsKind = 'none' | 'bearer' | 'basic';

export const CREDENTIALS: Record<CredentialsKind, string> = {
  none: 'no credentials',
  bearer: 'access token',
  basic: 'user name and password',
};

export type Secrets = { token: string; username: string; password: string };
export const NO_SECRETS: Secrets = { token: '', username: '', password: '' };

/** Returns what is sent of the credentials: only what their kind has. */
export function credentialsOf(kind: CredentialsKind, { token, username, password }: Secrets) {
  if (kind === 'bearer') return { kind, token: token.trim() };
  return kind === 'basic' ? { kind, username, password } : { kind };
}

/** Returns scheme and host with port, as the server compares them; null without a host. */
function hostOf(url: string): string | null {
  const found = /^(https?):\/\/([^/]+)/iu.exec(url.trim());
  return found ? `${found[1]!}://${found[2]!}`.toLowerCase() : null;
}

/** Returns whether credentials must be entered again: saved ones are for their host only. */
export const needsSecretAgain = (
  known: { url: string | null; credentials: CredentialsKind } | null,
  url: string,
): boolean =>
  known?.url != null && known.credentials !== 'none' && hostOf(url) !== hostOf(known.url);
