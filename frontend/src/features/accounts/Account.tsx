import { Button, Checkbox, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Browser, LinkedSignIn, Session } from '../../api';
import {
  DataTable,
  EmptyState,
  ErrorState,
  Section,
  SkeletonRows,
  Time,
  type Column,
} from '../../ui';
import classes from './Settings.module.css';
import { browserText } from './browser-words';
import {
  beginLinking,
  browsersQuery,
  changeName,
  changeOwnMails,
  changePassword,
  endBrowser,
  endOtherBrowsers,
  ownMailsQuery,
  ownSignInsQuery,
  sessionQuery,
  unlinkSignIn,
  waysQuery,
} from './queries';

/** What belongs to the person and not to the team. */
export function Account({ session }: { session: Session }) {
  return (
    <>
      <Profile session={session} />
      <Mails />
      <LinkedSignIns />
      <Password />
      <Browsers />
    </>
  );
}

function Profile({ session }: { session: Session }) {
  const client = useQueryClient();
  const [name, setName] = useState(session.user.name);
  const save = useMutation({
    mutationFn: () => changeName(name),
    onSuccess: () => client.invalidateQueries({ queryKey: sessionQuery.queryKey }),
  });
  return (
    <Section title="You" narrow>
      <form
        className={classes.column}
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <TextInput
          label="Name"
          required
          value={name}
          onChange={(event) => {
            setName(event.currentTarget.value);
          }}
        />
        <TextInput label="E-mail" disabled value={session.user.email} />
        {save.error && <ErrorState compact error={save.error} />}
        <Button type="submit" disabled={name === session.user.name} loading={save.isPending}>
          Keep
        </Button>
      </form>
    </Section>
  );
}

/** What is told by e-mail, too. Nothing is shown where none is sent. */
function Mails() {
  const client = useQueryClient();
  const ways = useQuery(waysQuery);
  const own = useQuery({ ...ownMailsQuery, enabled: ways.data?.mail === true });
  const change = useMutation({
    mutationFn: changeOwnMails,
    onSuccess: (told) => {
      client.setQueryData(ownMailsQuery.queryKey, told);
    },
  });
  if (!ways.data?.mail) return null;
  const error = own.error ?? change.error;
  return (
    <Section title="E-mail" aside="the inbox keeps all of it, whatever is mailed" narrow>
      {error && <ErrorState compact error={error} />}
      {own.isPending && <SkeletonRows rows={1} />}
      {own.data && (
        <Checkbox
          label="When somebody names me in a discussion"
          checked={change.isPending ? change.variables : own.data.mentions}
          onChange={(event) => {
            change.mutate(event.currentTarget.checked);
          }}
        />
      )}
    </Section>
  );
}

/** Accounts at the operator's sign-in service. Nothing is shown where there is no such service and none was linked. */
function LinkedSignIns() {
  const client = useQueryClient();
  const ways = useQuery(waysQuery);
  const own = useQuery(ownSignInsQuery);
  const link = useMutation({
    mutationFn: () => beginLinking(`${window.location.pathname}${window.location.search}`),
    onSuccess: ({ url }) => {
      window.location.assign(url);
    },
  });
  const unlink = useMutation({
    mutationFn: unlinkSignIn,
    onSettled: () => client.invalidateQueries({ queryKey: ownSignInsQuery.queryKey }),
  });
  const issuer = ways.data?.oidc;
  const rows = own.data?.linked ?? [];
  if (!issuer && rows.length === 0) return null;
  const columns: Column<LinkedSignIn>[] = [
    { id: 'name', head: 'with', width: 180, cell: (one) => <b>{one.name}</b> },
    { id: 'email', head: 'as', cell: (one) => one.email ?? <span className="muted">–</span> },
    {
      id: 'used',
      head: 'last used',
      width: 150,
      align: 'right',
      cell: (one) => <Time at={one.last_used_at} />,
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
          onClick={() => {
            unlink.mutate(one.id);
          }}
        >
          Unlink
        </button>
      ),
    },
  ];
  const error = own.error ?? link.error ?? unlink.error;
  return (
    <Section
      title="Linked sign-ins"
      aside="accounts elsewhere by which you sign in"
      controls={
        issuer && (
          <Button
            loading={link.isPending || link.isSuccess}
            onClick={() => {
              link.mutate();
            }}
          >
            Link {issuer.name}
          </Button>
        )
      }
    >
      {error && <ErrorState error={error} />}
      {own.isPending && <SkeletonRows rows={1} />}
      {own.data && rows.length === 0 && <EmptyState>No account is linked yet.</EmptyState>}
      {rows.length > 0 && (
        <DataTable
          label="Linked sign-ins"
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
  const ways = useQuery(waysQuery);
  const own = useQuery(ownSignInsQuery);
  const first = own.data?.has_password === false;
  const [now, setNow] = useState('');
  const [next, setNext] = useState('');
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: () =>
      changePassword(
        first ? { new_password: next } : { current_password: now, new_password: next },
      ),
    onSuccess: async () => {
      setNow('');
      setNext('');
      await client.invalidateQueries({ queryKey: browsersQuery.queryKey });
      await client.invalidateQueries({ queryKey: ownSignInsQuery.queryKey });
    },
  });
  if (ways.data?.passwords === false) return null;
  return (
    <Section
      title="Password"
      aside={
        first
          ? 'you have none; you sign in with a linked account'
          : 'changing it signs out all other browsers'
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
            onChange={(event) => {
              setNow(event.currentTarget.value);
            }}
          />
        )}
        <PasswordInput
          label="New password"
          autoComplete="new-password"
          required
          minLength={10}
          description="At least 10 characters"
          value={next}
          onChange={(event) => {
            setNext(event.currentTarget.value);
          }}
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

function Browsers() {
  const client = useQueryClient();
  const browsers = useQuery(browsersQuery);
  const onSettled = () => client.invalidateQueries({ queryKey: browsersQuery.queryKey });
  const end = useMutation({ mutationFn: endBrowser, onSettled });
  const endOthers = useMutation({ mutationFn: endOtherBrowsers, onSettled });
  const rows = browsers.data ?? [];
  const columns: Column<Browser>[] = [
    {
      id: 'browser',
      head: 'browser',
      cell: (one) => (
        <span title={one.browser}>
          {browserText(one.browser)} {one.current && <span className="muted">this one</span>}
        </span>
      ),
    },
    { id: 'address', head: 'address', width: 180, mono: true, cell: (one) => one.address },
    {
      id: 'seen',
      head: 'last seen',
      width: 160,
      align: 'right',
      cell: (one) => <Time at={one.last_seen_at} />,
    },
    {
      id: 'act',
      head: '',
      label: 'actions',
      width: 90,
      align: 'right',
      cell: (one) =>
        one.current ? null : (
          <button
            type="button"
            className="link"
            onClick={() => {
              end.mutate(one.id);
            }}
          >
            Sign out
          </button>
        ),
    },
  ];
  const error = browsers.error ?? end.error ?? endOthers.error;
  return (
    <Section
      title="Signed-in browsers"
      controls={
        rows.length > 1 && (
          <Button
            onClick={() => {
              endOthers.mutate();
            }}
          >
            Sign out all others
          </Button>
        )
      }
    >
      {error && <ErrorState error={error} />}
      {browsers.isPending && <SkeletonRows rows={2} />}
      {rows.length > 0 && (
        <DataTable
          label="Signed-in browsers"
          columns={columns}
          rowCount={rows.length}
          rowAt={(index) => rows[index]!}
          rowKey={(one) => one.id}
          minWidth={560}
        />
      )}
    </Section>
  );
}
