import { Button, Modal, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ConfirmationMethods } from '../../../api';
import { ErrorState, onText } from '../../../ui';
import classes from './ConfirmSignIn.module.css';
import { confirmSignIn, confirmationQuery, sessionQuery } from './account-queries';
import { hasPasskeys, requestPasskey } from './passkeys';
import { listProviders, startProviderConfirmation, type Provider } from './provider-queries';

type DialogProps = { onClose: (isConfirmed: boolean) => void };

/** Escape in this dialog must not close the dialog below it, which waits for the confirmation. */
const HELD = { 'data-mantine-stop-propagation': 'true' };

/**
 * Asks a user whose sign-in is too old for the password and second factor, before a sensitive
 * change continues.
 */
export function ConfirmSignIn({ onClose }: DialogProps) {
  const methods = useQuery(confirmationQuery);
  if (methods.isPending) return null;
  return (
    <Modal
      opened
      onClose={() => onClose(false)}
      title="Confirm your identity"
      closeOnEscape={false}
      closeButtonProps={{ 'aria-label': 'Close', ...HELD }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose(false);
      }}
    >
      <p className={classes.reason}>
        You signed in more than 15 minutes ago. Confirm to make this change.
      </p>
      {methods.error ? (
        <ErrorState error={methods.error} compact />
      ) : (
        <Methods methods={methods.data} onClose={onClose} />
      )}
    </Modal>
  );
}

function Methods({ methods, onClose }: DialogProps & { methods: ConfirmationMethods }) {
  const { has_password: hasPassword, provider, saml_provider: saml } = methods;
  const providers = listProviders({
    oidc: provider === null ? null : { name: provider },
    saml: saml === null ? null : { name: saml },
  });
  if (!hasPassword && providers.length === 0)
    return <p className={classes.reason}>Sign out, sign in again, then repeat the change.</p>;
  return (
    <>
      {providers.map((one, index) => (
        <AtProvider key={one.protocol} provider={one} isFirst={!hasPassword && index === 0} />
      ))}
      {providers.length > 0 && hasPassword && <p className={classes.reason}>Or by password:</p>}
      {hasPassword && <PasswordForm methods={methods} onClose={onClose} />}
    </>
  );
}

/**
 * A button that redirects to the identity provider for a new sign-in, and from there back to this
 * page.
 */
function AtProvider({ provider, isFirst }: { provider: Provider; isFirst: boolean }) {
  const begin = useMutation({
    mutationFn: () =>
      startProviderConfirmation(provider, `${window.location.pathname}${window.location.search}`),
    onSuccess: ({ url }) => window.location.assign(url),
  });
  return (
    <div className={classes.form}>
      {begin.error && <ErrorState error={begin.error} compact />}
      <Button
        variant={isFirst ? 'filled' : 'default'}
        loading={begin.isPending || begin.isSuccess}
        data-autofocus={isFirst || undefined}
        onClick={() => begin.mutate()}
        {...HELD}
      >
        Sign in with {provider.name} again
      </Button>
      <p className={classes.reason}>You return to this page afterwards. Then repeat the change.</p>
    </div>
  );
}

function PasswordForm({ methods, onClose }: DialogProps & { methods: ConfirmationMethods }) {
  const client = useQueryClient();
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const options = hasPasskeys() ? methods.passkey_options : null;
  const confirm = useMutation({
    mutationFn: async (isByPasskey: boolean) => {
      const proof = { state: methods.state, password };
      if (isByPasskey && options !== null)
        return confirmSignIn({ ...proof, passkey: await requestPasskey(options) });
      return confirmSignIn(code === '' ? proof : { ...proof, code: code.trim() });
    },
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
      onClose(true);
    },
    onError: () => client.invalidateQueries({ queryKey: confirmationQuery.queryKey }),
  });
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        confirm.mutate(code === '');
      }}
    >
      <PasswordInput
        label="Password"
        autoComplete="current-password"
        required
        value={password}
        onChange={onText(setPassword)}
        visibilityToggleButtonProps={HELD}
        data-autofocus
        {...HELD}
      />
      {methods.needs_second_factor && (
        <TextInput
          label={methods.has_totp ? 'Code of your app, or a recovery code' : 'Recovery code'}
          description={options === null ? undefined : 'Leave empty to use your passkey'}
          autoComplete="one-time-code"
          required={options === null}
          minLength={6}
          value={code}
          onChange={onText(setCode)}
          {...HELD}
        />
      )}
      {confirm.error && <ErrorState what="Not confirmed" error={confirm.error} compact />}
      <div className={classes.buttons}>
        <Button onClick={() => onClose(false)} {...HELD}>
          Cancel
        </Button>
        <Button type="submit" variant="filled" loading={confirm.isPending} {...HELD}>
          {options !== null && code === '' ? 'Confirm with a passkey' : 'Confirm'}
        </Button>
      </div>
    </form>
  );
}
