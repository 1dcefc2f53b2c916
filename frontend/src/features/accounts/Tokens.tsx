import { Button, Checkbox, Select, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { TeamMembership, Token, TokenScope } from '../../api';
import {
  CopyField,
  DataTable,
  EmptyState,
  ErrorState,
  Section,
  SkeletonRows,
  Time,
  type Column,
} from '../../ui';
import { mayManage } from './Members';
import classes from './Settings.module.css';
import { createToken, revokeToken, tokensQuery } from './queries';

const SCOPES: { value: TokenScope; label: string }[] = [
  { value: 'read', label: 'read' },
  { value: 'upload', label: 'upload' },
  { value: 'write', label: 'write' },
];
const LIVES = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'a year' },
  { value: '', label: 'no end' },
];

export function Tokens({ team }: { team: TeamMembership }) {
  const client = useQueryClient();
  const tokens = useQuery({ ...tokensQuery(team.id), enabled: mayManage(team) });
  const revoke = useMutation({
    mutationFn: (id: string) => revokeToken(team.id, id),
    onSettled: () => client.invalidateQueries({ queryKey: ['tokens'] }),
  });
  const rows = tokens.data?.items ?? [];
  const columns: Column<Token>[] = [
    { id: 'name', head: 'name', cell: (token) => <b>{token.name}</b> },
    { id: 'prefix', head: 'begins with', width: 150, mono: true, cell: (token) => token.prefix },
    { id: 'scopes', head: 'may', width: 150, cell: (token) => token.scopes.join(', ') },
    {
      id: 'used',
      head: 'last used',
      width: 150,
      align: 'right',
      cell: (token) =>
        token.last_used_at ? (
          <Time at={token.last_used_at} />
        ) : (
          <span className="muted">never</span>
        ),
    },
    {
      id: 'ends',
      head: 'ends',
      width: 150,
      align: 'right',
      cell: (token) =>
        token.expires_at ? (
          <Time at={token.expires_at} exact />
        ) : (
          <span className="muted">no end</span>
        ),
    },
    {
      id: 'act',
      head: '',
      label: 'actions',
      width: 80,
      align: 'right',
      cell: (token) => (
        <button
          type="button"
          className="link"
          onClick={() => {
            revoke.mutate(token.id);
          }}
        >
          Revoke
        </button>
      ),
    },
  ];
  if (!mayManage(team))
    return (
      <Section title="API tokens">
        <EmptyState>Tokens are the business of admins and owners.</EmptyState>
      </Section>
    );
  const error = tokens.error ?? revoke.error;
  return (
    <Section title="API tokens" aside="for CI and scripts; they act for the team, not for a person">
      <NewToken team={team} />
      {error && <ErrorState error={error} />}
      {tokens.isPending && <SkeletonRows rows={3} />}
      {tokens.data && rows.length === 0 && <EmptyState>No token yet.</EmptyState>}
      {rows.length > 0 && (
        <DataTable
          label="API tokens"
          columns={columns}
          rowCount={rows.length}
          rowAt={(index) => rows[index]!}
          rowKey={(token) => token.id}
          minWidth={760}
        />
      )}
    </Section>
  );
}

function NewToken({ team }: { team: TeamMembership }) {
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<string[]>(['upload']);
  const [days, setDays] = useState('90');
  const create = useMutation({
    mutationFn: () =>
      createToken(team.id, {
        name,
        scopes: SCOPES.map(({ value }) => value).filter((scope) => scopes.includes(scope)),
        expires_in_days: days === '' ? null : Number(days),
      }),
    onSuccess: () => {
      setName('');
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['tokens'] }),
  });
  const secret = create.data?.secret;
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
          label="Name"
          placeholder="ci of ingester"
          required
          w={220}
          value={name}
          onChange={(event) => {
            setName(event.currentTarget.value);
          }}
        />
        <Checkbox.Group label="May" value={scopes} onChange={setScopes}>
          <div className={classes.scopes}>
            {SCOPES.map(({ value, label }) => (
              <Checkbox key={value} value={value} label={label} />
            ))}
          </div>
        </Checkbox.Group>
        <Select
          label="Ends after"
          data={LIVES}
          allowDeselect={false}
          value={days}
          onChange={(next) => {
            setDays(next ?? '90');
          }}
          w={110}
        />
        <Button
          type="submit"
          loading={create.isPending}
          disabled={scopes.length === 0}
          title={scopes.length === 0 ? 'A token that may do nothing is of no use' : undefined}
        >
          Create token
        </Button>
      </form>
      {create.error && <ErrorState error={create.error} />}
      {secret && (
        <div className={classes.once}>
          <p>
            <b>Copy it now.</b> It is shown this once; Slowpath keeps only its hash.
          </p>
          <CopyField label="Token" value={secret} />
          <p className="muted mono" style={{ marginTop: 8, overflowWrap: 'anywhere' }}>
            curl -T cpu.pprof -H &quot;Authorization: Bearer $TOKEN&quot; {window.location.origin}
            /api/v1/artifacts/cpu.pprof
          </p>
        </div>
      )}
    </>
  );
}
