import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Session } from '../../api';
import { FormBody, FormDialog, Section } from '../../ui';
import classes from './Settings.module.css';
import { deleteAccount } from './leaving';
import { ownSignInsQuery } from './queries';

type AccountProps = { session: Session };

/** The end of an account, for good. */
export function DeleteAccount({ session }: AccountProps) {
  const [asking, setAsking] = useState(false);
  return (
    <Section title="Delete your account" narrow>
      <div className={classes.column}>
        <p>
          You leave every team. A team in which nobody else is goes with you, and all it holds. What
          you did elsewhere stays, under your name in the log.
        </p>
        <Button
          onClick={() => {
            setAsking(true);
          }}
        >
          Delete your account
        </Button>
      </div>
      {asking && (
        <FormDialog
          title="Delete your account?"
          onClose={() => {
            setAsking(false);
          }}
        >
          <AccountForm
            session={session}
            onCancel={() => {
              setAsking(false);
            }}
          />
        </FormDialog>
      )}
    </Section>
  );
}

function AccountForm({ session, onCancel }: AccountProps & { onCancel: () => void }) {
  const { data: own } = useQuery(ownSignInsQuery);
  const hasPassword = own?.has_password ?? true;
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const end = useMutation({
    mutationFn: () => deleteAccount({ email, current_password: hasPassword ? password : null }),
    onSuccess: () => {
      // Nothing that is still in memory belongs to anybody now.
      window.location.assign('/');
    },
  });
  return (
    <FormBody
      what="Your account was not deleted"
      submit="Delete for good"
      keep={end}
      blocked={
        email.trim().toLowerCase() === session.user.email.toLowerCase()
          ? undefined
          : 'Write the e-mail of your account first'
      }
      onCancel={onCancel}
    >
      <TextInput
        label={`Type ${session.user.email} to confirm`}
        data-autofocus
        required
        value={email}
        onChange={(event) => {
          setEmail(event.currentTarget.value);
        }}
      />
      {hasPassword && (
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => {
            setPassword(event.currentTarget.value);
          }}
        />
      )}
    </FormBody>
  );
}
