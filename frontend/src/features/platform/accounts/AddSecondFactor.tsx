import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { SecondFactor } from '../../../api';
import {
  CodeBlock,
  CopyField,
  ErrorState,
  FormBody,
  FormDialog,
  SkeletonRows,
  onText,
} from '../../../ui';
import classes from './Settings.module.css';
import { createSecondFactor, startSecondFactor } from './account-queries';
import { createPasskey, hasPasskeys } from './passkeys';

type AddProps = {
  kind: SecondFactor['kind'];
  onClose: () => void;
  onAdded: () => Promise<void>;
};

/** Adds an app or a passkey; after the first one, shows the recovery codes once. */
export function AddSecondFactor({ kind, onClose, onAdded }: AddProps) {
  const started = useQuery({
    queryKey: ['second-factor-registration', kind],
    queryFn: ({ signal }) => startSecondFactor(kind, signal),
    gcTime: 0,
    staleTime: Infinity,
    retry: false,
  });
  const [name, setName] = useState(kind === 'totp' ? 'Phone' : 'Passkey');
  const [code, setCode] = useState('');
  const add = useMutation({
    mutationFn: async () => {
      const { state, passkey_options: options } = started.data!;
      const proof = options === null ? code.trim() : await createPasskey(options);
      return createSecondFactor({ kind, name: name.trim(), state, proof });
    },
    onSuccess: async ({ recovery_codes: codes }) => {
      await onAdded();
      if (codes.length === 0) onClose();
    },
  });
  if (add.data && add.data.recovery_codes.length > 0)
    return <RecoveryCodes codes={add.data.recovery_codes} onClose={onClose} />;
  const unable = kind === 'passkey' && !hasPasskeys();
  return (
    <FormDialog title={kind === 'totp' ? 'Add an app' : 'Add a passkey'} onClose={onClose}>
      {started.isPending && <SkeletonRows rows={3} />}
      {started.error && <ErrorState error={started.error} />}
      {unable && <p>This browser cannot use passkeys here. Use an app.</p>}
      {started.data && !unable && (
        <FormBody
          what="The second factor was not added"
          submit={kind === 'totp' ? 'Add' : 'Continue with the browser'}
          save={add}
          blocked={name.trim() === '' ? 'A name is needed' : undefined}
          onCancel={onClose}
        >
          {started.data.totp_qr_code !== null && (
            <TotpSecret picture={started.data.totp_qr_code} secret={started.data.totp_secret!} />
          )}
          <TextInput label="Name" required value={name} onChange={onText(setName)} />
          {kind === 'totp' && (
            <TextInput
              label="Code that the app shows"
              autoComplete="one-time-code"
              inputMode="numeric"
              required
              value={code}
              onChange={onText(setCode)}
            />
          )}
        </FormBody>
      )}
    </FormDialog>
  );
}

function TotpSecret({ picture, secret }: { picture: string; secret: string }) {
  return (
    <>
      <p>Scan the picture with an app for one-time codes (TOTP), or enter the key there.</p>
      <img className={classes.qr} src={picture} alt="QR code of the key" />
      <CopyField label="Key" value={secret} />
    </>
  );
}

export function RecoveryCodes({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  return (
    <FormDialog title="Recovery codes" onClose={onClose}>
      <p className={classes.closed}>
        Store them where you find them without this device. Each signs you in once instead of a
        second factor. They are shown only now.
      </p>
      <CodeBlock text={codes.join('\n')}>{codes.join('\n')}</CodeBlock>
      <div className={classes.buttons}>
        <Button variant="filled" onClick={onClose}>
          I stored them
        </Button>
      </div>
    </FormDialog>
  );
}
