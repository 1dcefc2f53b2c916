import { PasswordInput, Select, TextInput } from '@mantine/core';
import { CREDENTIALS, type CredentialsKind, type Secrets } from './credentials';

export type CredentialsChoice = CredentialsKind | 'as-is';

type FieldsProps = {
  /** What may stay as it is; null where nothing is known, or not for this host. */
  kept: CredentialsKind | null;
  kind: CredentialsChoice;
  onKind: (kind: CredentialsChoice) => void;
  secrets: Secrets;
  onSecrets: (secrets: Secrets) => void;
  /** What the token should be able to do, and no more. */
  tokenHint: string;
};

export function CredentialsFields(props: FieldsProps) {
  const { kept, kind, onKind, secrets, onSecrets, tokenHint } = props;
  const kinds = Object.entries(CREDENTIALS).map(([value, label]) => ({ value, label }));
  const asIs = kept && { value: 'as-is', label: `unchanged: ${CREDENTIALS[kept]}` };
  const change = (part: keyof Secrets) => (event: { currentTarget: { value: string } }) => {
    onSecrets({ ...secrets, [part]: event.currentTarget.value });
  };
  return (
    <>
      <Select
        label="Credentials"
        data={asIs ? [asIs, ...kinds] : kinds}
        value={kind}
        allowDeselect={false}
        onChange={(next) => {
          onKind((next ?? 'none') as CredentialsChoice);
        }}
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
    </>
  );
}

/** Says why fields that were filled once are empty again. */
export function CredentialsReentry() {
  return (
    <p className="t2" role="status">
      The URL has another host. Enter the credentials for that host again.
    </p>
  );
}
