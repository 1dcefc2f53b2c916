/**
 * Passkeys through the browser's WebAuthn API. Options and responses remain JSON texts: the server
 * writes and reads them.
 */

/**
 * Returns whether this browser can parse the options; users of older ones need an app or a recovery
 * code.
 */
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
