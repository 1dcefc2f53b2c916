/** Passkeys through the browser's own WebAuthn. Options and responses stay JSON texts: the server reads and writes them. */

/** Whether this browser can read the options; older ones use an app or a recovery code. */
export const hasPasskeys = (): boolean =>
  'PublicKeyCredential' in window &&
  typeof PublicKeyCredential.parseCreationOptionsFromJSON === 'function';

const toText = (credential: Credential | null): string => {
  if (!(credential instanceof PublicKeyCredential)) throw new Error('No passkey was chosen.');
  return JSON.stringify(credential.toJSON());
};

/** @param options `PublicKeyCredentialCreationOptionsJSON`. */
export async function createPasskey(options: string): Promise<string> {
  const parsed = JSON.parse(options) as PublicKeyCredentialCreationOptionsJSON;
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(parsed);
  return toText(await navigator.credentials.create({ publicKey }));
}

/** @param options `PublicKeyCredentialRequestOptionsJSON`. */
export async function requestPasskey(options: string): Promise<string> {
  const parsed = JSON.parse(options) as PublicKeyCredentialRequestOptionsJSON;
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(parsed);
  return toText(await navigator.credentials.get({ publicKey }));
}
