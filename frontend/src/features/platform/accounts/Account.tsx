import { Button, Checkbox, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { LinkedSignIn, Session } from '../../../api';
import {
  DataTable,
  EmptyState,
  ErrorState,
  Section,
  SkeletonRows,
  Timestamp,
  type Column,
  onText,
} from '../../../ui';
import classes from './Settings.module.css';
import {
  updateName,
  updateMailPreferences,
  updatePassword,
  sessionsQuery,
  mailPreferencesQuery,
  linkedIdentitiesQuery,
  sessionQuery,
  unlinkIdentity,
  signInMethodsQuery,
} from './account-queries';
import { listProviders, startIdentityLink, type Provider } from './provider-queries';
import { CodeHostLogins } from './CodeHostLogins';
import { SecondFactors } from './SecondFactors';
import { TimeZone } from './TimeZone';

/** Settings of the user, which do not depend on the team. */
export function Account({ session }: { session: Session }) {
  return (
    <>
      <Profile session={session} />
      <TimeZone />
      <CodeHostLogins />
      <Mails />
      <LinkedSignIns />
      <Password />
      <SecondFactors />
    </>
  );
}

function Profile({ session }: { session: Session }) {
  const client = useQueryClient();
  const [name, setName] = useState(session.user.name);
  const save = useMutation({
    mutationFn: () => updateName(name.trim()),
    onSuccess: async (saved) => {
      setName(saved.name);
      await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
    },
  });
  return (
    <Section title="Profile" narrow>
      <form
        className={classes.column}
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <TextInput label="Name" required value={name} onChange={onText(setName)} />
        <TextInput label="Email" disabled value={session.user.email} />
        {save.error && <ErrorState compact error={save.error} />}
        <Button
          type="submit"
          disabled={name.trim() === '' || name.trim() === session.user.name}
          loading={save.isPending}
        >
          Save
        </Button>
      </form>
    </Section>
  );
}

/** Email notification settings. Hidden if the server sends no mail. */
function Mails() {
  const client = useQueryClient();
  const ways = useQuery(signInMethodsQuery);
  const own = useQuery({
    ...mailPreferencesQuery,
    enabled: ways.data?.is_mail_configured === true,
  });
  const change = useMutation({
    mutationFn: updateMailPreferences,
    onSuccess: (saved) => {
      client.setQueryData(mailPreferencesQuery.queryKey, saved);
    },
  });
  if (!ways.data?.is_mail_configured) return null;
  const error = own.error ?? change.error;
  return (
    <Section title="Email" aside="mentions are always in the inbox" narrow>
      {error && <ErrorState compact error={error} />}
      {own.isPending && <SkeletonRows rows={1} />}
      {own.data && (
        <Checkbox
          label="Email me when I am mentioned"
          checked={change.isPending ? change.variables : own.data.email_on_mention}
          onChange={(event) => change.mutate(event.currentTarget.checked)}
        />
      )}
    </Section>
  );
}

/**
 * Linked identities at identity providers. Hidden when no provider is configured and none was
 * linked.
 */
function LinkedSignIns() {
  const client = useQueryClient();
  const ways = useQuery(signInMethodsQuery);
  const own = useQuery(linkedIdentitiesQuery);
  const link = useMutation({
    mutationFn: (provider: Provider) =>
      startIdentityLink(provider, `${window.location.pathname}${window.location.search}`),
    onSuccess: ({ url }) => window.location.assign(url),
  });
  const unlink = useMutation({
    mutationFn: unlinkIdentity,
    onSettled: () => client.invalidateQueries({ queryKey: linkedIdentitiesQuery.queryKey }),
  });
  const providers = listProviders(ways.data);
  const rows = own.data?.linked ?? [];
  if (providers.length === 0 && rows.length === 0) return null;
  const columns: Column<LinkedSignIn>[] = [
    { id: 'name', head: 'Provider', width: 180, cell: (one) => <b>{one.name}</b> },
    { id: 'email', head: 'Account', cell: (one) => one.email ?? <span className="muted">–</span> },
    {
      id: 'used',
      head: 'Last used',
      width: 150,
      align: 'right',
      cell: (one) => <Timestamp at={one.last_used_at} />,
    },
    {
      id: 'act',
      head: '',
      label: 'actions',
      width: 90,
      align: 'right',
      cell: (one) => (
        <button
          type="button"
          className="link"
          aria-label={`Unlink ${one.email ?? one.name}`}
          onClick={() => unlink.mutate(one.id)}
        >
          Unlink
        </button>
      ),
    },
  ];
  const error = own.error ?? link.error ?? unlink.error;
  return (
    <Section
      title="Linked accounts"
      aside="identity providers you can sign in with"
      controls={providers.map((one) => (
        <Button
          key={one.protocol}
          loading={link.isPending || link.isSuccess}
          onClick={() => link.mutate(one)}
        >
          Link {one.name}
        </Button>
      ))}
    >
      {error && <ErrorState error={error} />}
      {own.isPending && <SkeletonRows rows={1} />}
      {own.data && rows.length === 0 && <EmptyState>No linked accounts.</EmptyState>}
      {rows.length > 0 && (
        <DataTable
          label="Linked accounts"
          columns={columns}
          rowCount={rows.length}
          rowAt={(index) => rows[index]!}
          rowKey={(one) => one.id}
          minWidth={520}
        />
      )}
    </Section>
  );
}

function Password() {
  const ways = useQuery(signInMethodsQuery);
  const own = useQuery(linkedIdentitiesQuery);
  const first = own.data?.has_password === false;
  const [now, setNow] = useState('');
  const [next, setNext] = useState('');
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: () =>
      updatePassword(
        first ? { new_password: next } : { current_password: now, new_password: next },
      ),
    onSuccess: async () => {
      setNow('');
      setNext('');
      await client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
      await client.invalidateQueries({ queryKey: linkedIdentitiesQuery.queryKey });
    },
  });
  if (ways.data?.are_passwords_enabled === false) return null;
  return (
    <Section
      title="Password"
      aside={
        first
          ? 'not set; you sign in with a linked account'
          : 'changing it signs out all other sessions'
      }
      narrow
    >
      <form
        className={classes.column}
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        {!first && (
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            required
            value={now}
            onChange={onText(setNow)}
          />
        )}
        <PasswordInput
          label="New password"
          autoComplete="new-password"
          required
          minLength={10}
          description="At least 10 characters"
          value={next}
          onChange={onText(setNext)}
        />
        {save.error && <ErrorState compact error={save.error} />}
        {save.isSuccess && <p role="status">The password was changed.</p>}
        <Button type="submit" loading={save.isPending}>
          {first ? 'Set a password' : 'Change password'}
        </Button>
      </form>
    </Section>
  );
}
