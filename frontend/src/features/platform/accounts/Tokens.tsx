import { Button, NumberInput, Select, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { ServiceAccount, TeamMembership, Token } from '../../../api';
import {
  DeleteResource,
  EmptyState,
  ErrorState,
  FormBody,
  FormDialog,
  ListTable,
  OneTimeSecret,
  Section,
  Timestamp,
  type Column,
  onText,
} from '../../../ui';
import { CiTrusts } from './CiTrusts';
import { SCOPES, ScopesField } from './ScopesField';
import { ServiceAccounts } from './ServiceAccounts';
import classes from './Settings.module.css';
import {
  updateToken,
  createToken,
  revokeToken,
  serviceAccountsQuery,
  tokensQuery,
} from './account-queries';
import { canManageMembers } from './member-roles';

const LIVES = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: '', label: 'No expiration' },
];

function tokenColumns(
  onEdit: (token: Token) => void,
  onRevoke: (token: Token) => void,
): Column<Token>[] {
  return [
    { id: 'name', head: 'Name', text: ({ name }) => name, cell: (token) => <b>{token.name}</b> },
    {
      id: 'of',
      head: 'Acts as',
      text: (token) => token.service_account?.name ?? 'the team',
      width: 150,
      cell: (token) =>
        token.service_account ? (
          <span className={token.service_account.disabled ? 'muted' : undefined}>
            {token.service_account.name}
            {token.service_account.disabled && ', disabled'}
          </span>
        ) : (
          <span className="muted">the team</span>
        ),
    },
    {
      id: 'prefix',
      head: 'Prefix',
      text: ({ prefix }) => prefix,
      width: 120,
      mono: true,
      cell: (token) => token.prefix,
    },
    {
      id: 'scopes',
      head: 'Scopes',
      text: ({ scopes }) => scopes.join(', '),
      width: 140,
      cell: (token) => token.scopes.join(', '),
    },
    {
      id: 'used',
      head: 'Last used',
      text: ({ last_used_at }) => last_used_at,
      width: 150,
      align: 'right',
      cell: (token) =>
        token.last_used_at ? (
          <Timestamp at={token.last_used_at} />
        ) : (
          <span className="muted">never</span>
        ),
    },
    {
      id: 'ends',
      head: 'Expires',
      text: ({ expires_at }) => expires_at,
      width: 150,
      align: 'right',
      cell: (token) =>
        token.expires_at ? (
          <Timestamp at={token.expires_at} exact />
        ) : (
          <span className="muted">No expiration</span>
        ),
    },
    {
      id: 'act',
      head: '',
      label: 'actions',
      width: 130,
      align: 'right',
      cell: (token) => (
        <span className={classes.acts}>
          <button
            type="button"
            className="link"
            aria-label={`Edit ${token.name}`}
            onClick={() => onEdit(token)}
          >
            Edit
          </button>
          <button
            type="button"
            className="link"
            aria-label={`Revoke ${token.name}`}
            onClick={() => onRevoke(token)}
          >
            Revoke
          </button>
        </span>
      ),
    },
  ];
}

type TokensProps = {
  team: TeamMembership;
  /**
   * Renders how to upload a build with the secret of a new token; given by the feature that has
   * services.
   */
  uploadSteps: (secret: string) => ReactNode;
  /** The scope in the URL, which is selected for a new token. */
  scope?: string;
};

/** The scope of a token for CI. */
const DEFAULT_SCOPE = 'upload';

export function Tokens({ team, uploadSteps, scope }: TokensProps) {
  const tokens = useQuery({
    ...tokensQuery(team.id),
    enabled: canManageMembers(team),
    select: ({ items, ...rest }) => ({
      ...rest,
      items: items.filter(({ scopes }) => !scopes.includes('scim')), // listed on the team tab
    }),
  });
  const [revoking, setRevoking] = useState<Token | null>(null);
  const accounts = useQuery({ ...serviceAccountsQuery(team.id), enabled: canManageMembers(team) });
  const [changing, setChanging] = useState<Token | null>(null);
  if (!canManageMembers(team))
    return (
      <Section title="API tokens">
        <EmptyState>Only admins and owners can manage tokens.</EmptyState>
      </Section>
    );

  return (
    <>
      <Section
        title="API tokens"
        aside="for CI and scripts; they act for the team or a service account, not for a user"
      >
        <NewToken
          key={scope}
          team={team}
          accounts={accounts.data?.items ?? []}
          uploadSteps={uploadSteps}
          scope={scope}
        />
        <ListTable
          label="API tokens"
          records={tokens}
          columns={tokenColumns(setChanging, setRevoking)}
          rowKey={(token) => token.id}
          size={{ minWidth: 1020, skeletonRows: 3 }}
          empty={{ text: 'No tokens yet.', help: 'tokens' }}
        />
        {changing && (
          <FormDialog title={`Edit ${changing.name}`} onClose={() => setChanging(null)}>
            <TokenForm team={team} token={changing} onClose={() => setChanging(null)} />
          </FormDialog>
        )}
        {revoking && <RevokeToken team={team} token={revoking} onClose={() => setRevoking(null)} />}
      </Section>
      <ServiceAccounts team={team} />
      <CiTrusts team={team} />
    </>
  );
}

type RevokeTokenProps = { team: TeamMembership; token: Token; onClose: () => void };

export function RevokeToken({ team, token, onClose }: RevokeTokenProps) {
  return (
    <DeleteResource
      act="Revoke"
      name={token.name}
      noun="token"
      failed="Could not revoke the token"
      request={() => revokeToken(team.id, token.id)}
      stale={['tokens']}
      onClose={onClose}
    >
      Requests with it are rejected immediately. This cannot be undone.{' '}
      {token.last_used_at ? (
        <>
          Last used <Timestamp at={token.last_used_at} />.
        </>
      ) : (
        'Never used.'
      )}
    </DeleteResource>
  );
}

const rate = (value: string | number): number | null => (value === '' ? null : Number(value));

function TokenForm({
  team,
  token,
  onClose,
}: {
  team: TeamMembership;
  token: Token;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const [name, setName] = useState(token.name);
  const [requests, setRequests] = useState<string | number>(token.requests_per_minute ?? '');
  const [uploads, setUploads] = useState<string | number>(token.uploads_per_minute ?? '');
  const save = useMutation({
    mutationFn: () =>
      updateToken(team.id, token.id, {
        name,
        requests_per_minute: rate(requests),
        uploads_per_minute: rate(uploads),
      }),
    onSuccess: onClose,
    onSettled: () => client.invalidateQueries({ queryKey: ['tokens'] }),
  });
  const rates = { min: 1, max: 1_000_000, allowDecimal: false, placeholder: 'Team default' };
  return (
    <FormBody what="Could not update the token" submit="Save" save={save} onCancel={onClose}>
      <TextInput label="Name" required maxLength={100} value={name} onChange={onText(setName)} />
      <div className={classes.rates}>
        <NumberInput
          label="Requests per minute"
          {...rates}
          value={requests}
          onChange={setRequests}
          w={190}
        />
        <NumberInput
          label="Uploads per minute"
          {...rates}
          value={uploads}
          onChange={setUploads}
          w={190}
        />
      </div>
      <p className="muted">
        Leave empty for the default rate. Scopes and expiration cannot be changed: create another
        token.
      </p>
    </FormBody>
  );
}

/** Shows the secret of a new token, and how to upload with it. */
function CreatedToken({
  token,
  uploadSteps,
}: {
  token: Awaited<ReturnType<typeof createToken>>;
  uploadSteps: TokensProps['uploadSteps'];
}) {
  const uploads = token.scopes.some((scope) => scope === 'upload' || scope === 'write');
  if (!token.secret) return null;
  return (
    <OneTimeSecret
      lead="Copy it now."
      note="The token is shown once. Slowpath stores only its hash."
      label="Token"
      secret={token.secret}
    >
      {uploads && uploadSteps(token.secret)}
    </OneTimeSecret>
  );
}

const THE_TEAM = { value: '', label: 'the team' };

type NewTokenProps = TokensProps & { accounts: ServiceAccount[] };

function NewToken({ team, accounts, uploadSteps, scope }: NewTokenProps) {
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<string[]>(() => [
    SCOPES.find(({ value }) => value === scope)?.value ?? DEFAULT_SCOPE,
  ]);
  const [days, setDays] = useState('90');
  const [account, setAccount] = useState('');
  // A service account that was deleted meanwhile is not selected any more.
  const actor = accounts.find(({ id }) => id === account);
  const reads = actor?.role === 'viewer';
  const chosen = reads ? ['read'] : scopes;
  const create = useMutation({
    mutationFn: () =>
      createToken(team.id, {
        name,
        scopes: SCOPES.map(({ value }) => value).filter((scope) => chosen.includes(scope)),
        expires_in_days: days === '' ? null : Number(days),
        service_account_id: actor?.id ?? null,
      }),
    onSuccess: () => setName(''),
    onSettled: async () => {
      await client.invalidateQueries({ queryKey: ['tokens'] });
      await client.invalidateQueries({ queryKey: ['service-accounts'] });
    },
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
          label="Name"
          placeholder="ci of ingester"
          required
          w={220}
          value={name}
          onChange={onText(setName)}
        />
        {accounts.length > 0 && (
          <Select
            label="Acts as"
            data={[THE_TEAM, ...accounts.map(({ id, name: label }) => ({ value: id, label }))]}
            allowDeselect={false}
            value={actor?.id ?? ''}
            onChange={(next) => setAccount(next ?? '')}
            w={150}
          />
        )}
        <ScopesField chosen={chosen} isReadOnly={reads} onChange={setScopes} />
        <Select
          label="Expires after"
          data={LIVES}
          allowDeselect={false}
          value={days}
          onChange={(next) => setDays(next ?? '90')}
          w={110}
        />
        <Button
          type="submit"
          loading={create.isPending}
          disabled={chosen.length === 0}
          title={chosen.length === 0 ? 'Select at least one scope' : undefined}
        >
          Create token
        </Button>
      </form>
      {create.error && <ErrorState error={create.error} />}
      {create.data && <CreatedToken token={create.data} uploadSteps={uploadSteps} />}
    </>
  );
}
