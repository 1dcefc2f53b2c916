import { Button, Select, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ServiceAccount, ServiceAccountRole, TeamMembership } from '../../../api';
import {
  DeleteDialog,
  ErrorState,
  ListTable,
  Section,
  Timestamp,
  countOf,
  type Column,
  onText,
} from '../../../ui';
import classes from './Settings.module.css';
import {
  updateServiceAccount,
  createServiceAccount,
  deleteServiceAccount,
  serviceAccountsQuery,
} from './account-queries';

const ROLES: { value: ServiceAccountRole; label: string }[] = [
  { value: 'viewer', label: 'viewer: read' },
  { value: 'member', label: 'member: upload and compare' },
];

type AccountChange = { id: string; role?: ServiceAccountRole; disabled?: boolean };

function accountColumns(
  onChange: (change: AccountChange) => void,
  onDelete: (account: ServiceAccount) => void,
): Column<ServiceAccount>[] {
  return [
    {
      id: 'name',
      head: 'Name',
      text: ({ name }) => name,
      cell: (one) => (
        <>
          <b>{one.name}</b>
          {one.disabled_at && <span className="muted"> disabled</span>}
        </>
      ),
    },
    {
      id: 'role',
      head: 'Role',
      text: ({ role }) => role,
      width: 220,
      cell: (one) => (
        <Select
          aria-label={`Role of ${one.name}`}
          data={ROLES}
          value={one.role}
          allowDeselect={false}
          onChange={(role) => {
            if (role && role !== one.role) onChange({ id: one.id, role });
          }}
          w={200}
        />
      ),
    },
    {
      id: 'tokens',
      head: 'Tokens',
      text: ({ tokens }) => tokens,
      width: 90,
      align: 'right',
      cell: (one) => one.tokens,
    },
    {
      id: 'used',
      head: 'Last used',
      text: ({ last_used_at }) => last_used_at,
      width: 150,
      align: 'right',
      cell: (one) =>
        one.last_used_at ? (
          <Timestamp at={one.last_used_at} />
        ) : (
          <span className="muted">never</span>
        ),
    },
    {
      id: 'act',
      head: '',
      label: 'actions',
      width: 150,
      align: 'right',
      cell: (one) => (
        <span className={classes.acts}>
          <button
            type="button"
            className="link"
            aria-label={`${one.disabled_at ? 'Enable' : 'Disable'} ${one.name}`}
            onClick={() => onChange({ id: one.id, disabled: one.disabled_at === null })}
          >
            {one.disabled_at ? 'Enable' : 'Disable'}
          </button>
          <button
            type="button"
            className="link"
            aria-label={`Delete ${one.name}`}
            onClick={() => onDelete(one)}
          >
            Delete
          </button>
        </span>
      ),
    },
  ];
}

/**
 * The service accounts of a team. Their tokens have at most the permissions of their role, and are
 * invalid while they are disabled.
 */
export function ServiceAccounts({ team }: { team: TeamMembership }) {
  const client = useQueryClient();
  const accounts = useQuery(serviceAccountsQuery(team.id));
  const [removing, setRemoving] = useState<ServiceAccount | null>(null);
  const change = useMutation({
    mutationFn: ({ id, ...body }: AccountChange) => updateServiceAccount(team.id, id, body),
    onSettled: () => readAgain(client),
  });
  return (
    <Section title="Service accounts" aside="members for programs; their role limits their tokens">
      <NewAccount team={team} />
      <ListTable
        label="Service accounts"
        records={accounts}
        columns={accountColumns(change.mutate, setRemoving)}
        rowKey={(one) => one.id}
        size={{ minWidth: 760, rowHeight: 38, skeletonRows: 2 }}
        changeError={change.error}
        empty={{ text: 'No service accounts yet.', help: 'tokens' }}
      />
      {removing && (
        <DeleteServiceAccount team={team} account={removing} onClose={() => setRemoving(null)} />
      )}
    </Section>
  );
}

/** Refetches the tokens too, because their permissions depend on the service account. */
async function readAgain(client: QueryClient): Promise<void> {
  await client.invalidateQueries({ queryKey: ['service-accounts'] });
  await client.invalidateQueries({ queryKey: ['tokens'] });
}

type DeleteProps = { team: TeamMembership; account: ServiceAccount; onClose: () => void };

function DeleteServiceAccount({ team, account, onClose }: DeleteProps) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => deleteServiceAccount(team.id, account.id),
    onSettled: () => readAgain(client),
    onSuccess: onClose,
  });
  return (
    <DeleteDialog name={account.name} noun="service account" remove={remove} onClose={onClose}>
      {account.tokens === 0
        ? 'It has no tokens.'
        : `Its ${countOf(account.tokens, 'token')} ${account.tokens === 1 ? 'is' : 'are'} revoked.`}{' '}
      Its actions stay in the audit log.
    </DeleteDialog>
  );
}

function NewAccount({ team }: { team: TeamMembership }) {
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [role, setRole] = useState<ServiceAccountRole>('member');
  const create = useMutation({
    mutationFn: () => createServiceAccount(team.id, { name, role }),
    onSuccess: () => setName(''),
    onSettled: () => client.invalidateQueries({ queryKey: ['service-accounts'] }),
  });
  return (
    <>
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <TextInput
          label="Account name"
          placeholder="deployer"
          required
          maxLength={100}
          w={220}
          value={name}
          onChange={onText(setName)}
        />
        <Select
          label="Role"
          data={ROLES}
          allowDeselect={false}
          value={role}
          onChange={(next) => {
            if (next) setRole(next);
          }}
          w={210}
        />
        <Button type="submit" loading={create.isPending}>
          Create account
        </Button>
      </form>
      {create.error && <ErrorState error={create.error} />}
    </>
  );
}
