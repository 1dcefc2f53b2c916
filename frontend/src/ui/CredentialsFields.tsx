import { PasswordInput, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import {
  CREDENTIALS,
  NO_SECRETS,
  credentialsOf,
  needsSecretAgain,
  type CredentialsKind,
  type Secrets,
} from './credentials';

type CredentialsChoice = CredentialsKind | 'as-is';

type Saved = { url: string | null; credentials: CredentialsKind };

/**
 * Returns the props of the credentials fields of a form whose server is at `url`, and the
 * credentials to send. `first` is the kind that is selected if nothing is saved.
 */
export function useCredentials(saved: Saved | null, url: string, first: CredentialsKind = 'none') {
  const [choice, setChoice] = useState<CredentialsChoice>(saved ? 'as-is' : first);
  const [secrets, setSecrets] = useState(NO_SECRETS);
  const again = needsSecretAgain(saved, url);
  const kind = choice === 'as-is' && saved && again ? saved.credentials : choice;
  return {
    fields: {
      saved: again ? null : (saved?.credentials ?? null),
      again,
      kind,
      onKind: setChoice,
      secrets,
      onSecrets: setSecrets,
    },
    /** Undefined if the saved credentials do not change. */
    credentials: kind === 'as-is' ? undefined : credentialsOf(kind, secrets),
  };
}

type FieldsProps = {
  /** Kind of the saved credentials; null if none are saved, or if they are for another host. */
  saved: CredentialsKind | null;
  /** Whether the URL has another host: saved credentials are not sent to it. */
  again: boolean;
  kind: CredentialsChoice;
  onKind: (kind: CredentialsChoice) => void;
  secrets: Secrets;
  onSecrets: (secrets: Secrets) => void;
  /** Description of the access token field. */
  tokenHint: string;
};

export function CredentialsFields(props: FieldsProps) {
  const { saved, again, kind, onKind, secrets, onSecrets, tokenHint } = props;
  const kinds = Object.entries(CREDENTIALS).map(([value, label]) => ({ value, label }));
  const asIs = saved && { value: 'as-is', label: `unchanged: ${CREDENTIALS[saved]}` };
  const change = (part: keyof Secrets) => (event: { currentTarget: { value: string } }) =>
    onSecrets({ ...secrets, [part]: event.currentTarget.value });
  return (
    <>
      <Select
        label="Credentials"
        data={asIs ? [asIs, ...kinds] : kinds}
        value={kind}
        allowDeselect={false}
        onChange={(next) => onKind((next ?? 'none') as CredentialsChoice)}
      />
      {kind === 'bearer' && (
        <PasswordInput
          label="Access token"
          description={tokenHint}
          required
          autoComplete="off"
          value={secrets.token}
          onChange={change('token')}
        />
      )}
      {kind === 'basic' && (
        <>
          <TextInput
            label="User name"
            required
            autoComplete="off"
            value={secrets.username}
            onChange={change('username')}
          />
          <PasswordInput
            label="Password"
            autoComplete="new-password"
            value={secrets.password}
            onChange={change('password')}
          />
        </>
      )}
      {again && (
        <p className="t2" role="status">
          The URL has another host. Enter the credentials for that host again.
        </p>
      )}
    </>
  );
}
