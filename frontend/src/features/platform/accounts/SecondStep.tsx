import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorState, SkeletonRows, onText } from '../../../ui';
import classes from './AuthFrame.module.css';
import { secondStepQuery, verifySecondStep } from './account-queries';
import { hasPasskeys, requestPasskey } from './passkeys';

/** The second step of a sign-in: a passkey, a code of an app, or a recovery code. */
export function SecondStep({ onDone }: { onDone: () => Promise<void> }) {
  const [code, setCode] = useState('');
  const step = useQuery(secondStepQuery);
  const enter = useMutation({ mutationFn: verifySecondStep, onSuccess: onDone });
  const options = step.data?.passkey_options;
  const tap = useMutation({
    mutationFn: async (asked: string) => verifySecondStep({ passkey: await requestPasskey(asked) }),
    onSuccess: onDone,
  });
  if (step.isPending) return <SkeletonRows rows={2} />;
  if (step.error) return <ErrorState error={step.error} />;
  const error = enter.error ?? tap.error;
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        tap.reset();
        enter.mutate({ code: code.trim() });
      }}
    >
      {options && hasPasskeys() && (
        <Button variant="filled" loading={tap.isPending} onClick={() => tap.mutate(options)}>
          Use a passkey
        </Button>
      )}
      <TextInput
        label={step.data.has_totp ? 'Code of your app, or a recovery code' : 'Recovery code'}
        autoComplete="one-time-code"
        required
        minLength={6}
        value={code}
        data-autofocus
        onChange={onText(setCode)}
      />
      {error && <ErrorState error={error} compact />}
      <Button type="submit" loading={enter.isPending}>
        Continue
      </Button>
    </form>
  );
}
