import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Session } from '../../../api';
import { FormBody, FormDialog, Section, onText } from '../../../ui';
import classes from './Settings.module.css';
import { deleteAccount } from './account-deletion';
import { linkedIdentitiesQuery } from './account-queries';

type AccountProps = { session: Session };

/** Deletes the account permanently. */
export function DeleteAccount({ session }: AccountProps) {
  const [asking, setAsking] = useState(false);
  return (
    <Section title="Delete your account" narrow>
      <div className={classes.column}>
        <p>
          You leave every team. Teams without other members are deleted with all their data. What
          you did in other teams stays, with your name in the audit log.
        </p>
        <Button onClick={() => setAsking(true)}>Delete your account</Button>
      </div>
      {asking && (
        <FormDialog title="Delete your account?" onClose={() => setAsking(false)}>
          <AccountForm session={session} onCancel={() => setAsking(false)} />
        </FormDialog>
      )}
    </Section>
  );
}

function AccountForm({ session, onCancel }: AccountProps & { onCancel: () => void }) {
  const { data: own } = useQuery(linkedIdentitiesQuery);
  const hasPassword = own?.has_password ?? true;
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const end = useMutation({
    mutationFn: () => deleteAccount({ email, current_password: hasPassword ? password : null }),
    onSuccess: () => {
      // Loading a page anew clears all cached data of the deleted user.
      window.location.assign('/');
    },
  });
  return (
    <FormBody
      what="Could not delete your account"
      submit="Delete permanently"
      save={end}
      blocked={
        email.trim().toLowerCase() === session.user.email.toLowerCase()
          ? undefined
          : 'Enter the email address of your account first'
      }
      onCancel={onCancel}
    >
      <TextInput
        label={`Type ${session.user.email} to confirm`}
        data-autofocus
        required
        value={email}
        onChange={onText(setEmail)}
      />
      {hasPassword && (
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          value={password}
          onChange={onText(setPassword)}
        />
      )}
    </FormBody>
  );
}
