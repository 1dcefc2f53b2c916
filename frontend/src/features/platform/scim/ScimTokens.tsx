import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { TeamMembership, Token } from '../../../api';
import { ErrorState, ListTable, OneTimeSecret, Timestamp, onText, type Column } from '../../../ui';
import { RevokeToken, createToken, tokensQuery } from '../accounts';
import classes from './Scim.module.css';

const columns = (onRevoke: (token: Token) => void): Column<Token>[] => [
  { id: 'name', head: 'Name', text: ({ name }) => name, cell: (token) => <b>{token.name}</b> },
  {
    id: 'prefix',
    head: 'Prefix',
    width: 120,
    mono: true,
    text: ({ prefix }) => prefix,
    cell: (token) => token.prefix,
  },
  {
    id: 'used',
    head: 'Last used',
    width: 150,
    align: 'right',
    text: ({ last_used_at }) => last_used_at,
    cell: (token) =>
      token.last_used_at ? (
        <Timestamp at={token.last_used_at} />
      ) : (
        <span className="muted">never</span>
      ),
  },
  {
    id: 'act',
    head: '',
    label: 'actions',
    width: 90,
    align: 'right',
    cell: (token) => (
      <button
        type="button"
        className="link"
        aria-label={`Revoke ${token.name}`}
        onClick={() => onRevoke(token)}
      >
        Revoke
      </button>
    ),
  },
];

/** The tokens of identity providers: only owners can create them, all admins can revoke them. */
export function ScimTokens({ team }: { team: TeamMembership }) {
  const tokens = useQuery({
    ...tokensQuery(team.id),
    select: ({ items, ...rest }) => ({
      ...rest,
      items: items.filter(({ scopes }) => scopes.includes('scim')),
    }),
  });
  const [revoking, setRevoking] = useState<Token | null>(null);
  return (
    <>
      <NewScimToken team={team} />
      <ListTable
        label="Provisioning tokens"
        records={tokens}
        columns={columns(setRevoking)}
        rowKey={(token) => token.id}
        size={{ minWidth: 560, rowHeight: 38, skeletonRows: 1 }}
        empty={{ text: 'No SCIM tokens yet. Create one and enter it at the identity provider.' }}
      />
      {revoking && <RevokeToken team={team} token={revoking} onClose={() => setRevoking(null)} />}
    </>
  );
}

function NewScimToken({ team }: { team: TeamMembership }) {
  const client = useQueryClient();
  const [name, setName] = useState('');
  const create = useMutation({
    mutationFn: () => createToken(team.id, { name, scopes: ['scim'], expires_in_days: null }),
    onSuccess: () => setName(''),
    onSettled: () => client.invalidateQueries({ queryKey: ['tokens'] }),
  });
  const owns = team.role === 'owner';
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
          label="Token for"
          placeholder="Okta"
          required
          maxLength={100}
          disabled={!owns}
          value={name}
          onChange={onText(setName)}
        />
        <Button
          type="submit"
          loading={create.isPending}
          disabled={!owns}
          title={
            owns
              ? undefined
              : 'Only owners can create this token, because it can add and remove owners'
          }
        >
          Create SCIM token
        </Button>
      </form>
      {create.error && <ErrorState error={create.error} />}
      {create.data?.secret && (
        <OneTimeSecret
          lead="Copy it now."
          note="The token is shown once. Slowpath stores only its hash. It can do nothing but provision members."
          label="SCIM token"
          secret={create.data.secret}
        />
      )}
    </>
  );
}
