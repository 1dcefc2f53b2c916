import { Button, Select, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { CiTrust, CiTrustInput, TeamMembership } from '../../../api';
import {
  DeleteResource,
  FormBody,
  FormDialog,
  ListTable,
  Section,
  type Column,
  onText,
} from '../../../ui';
import {
  ciTrustsQuery,
  createCiTrust,
  deleteCiTrust,
  serviceAccountsQuery,
} from './account-queries';

const PROVIDERS = [
  { value: 'github', label: 'GitHub Actions' },
  { value: 'gitlab', label: 'GitLab CI' },
] as const;
const SCOPES = [
  { value: 'upload', label: 'upload' },
  { value: 'deploy', label: 'deploy' },
  { value: 'upload,deploy', label: 'upload and deploy' },
];

const columns = (onRemove: (trust: CiTrust) => void): Column<CiTrust>[] => [
  {
    id: 'repository',
    head: 'Repository',
    text: ({ repository }) => repository,
    cell: (one) => <b title={one.issuer}>{one.repository}</b>,
  },
  {
    id: 'only',
    head: 'Only',
    width: 220,
    text: ({ branch, environment }) => branch ?? environment,
    cell: (one) =>
      [one.branch && `branch ${one.branch}`, one.environment && `environment ${one.environment}`]
        .filter(Boolean)
        .join(', ') || <span className="muted">all jobs</span>,
  },
  {
    id: 'account',
    head: 'Acts as',
    width: 150,
    text: ({ service_account }) => service_account,
    cell: (one) => one.service_account,
  },
  {
    id: 'scopes',
    head: 'Scopes',
    width: 140,
    text: ({ scopes }) => scopes.join(', '),
    cell: (one) => one.scopes.join(', '),
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
        aria-label={`Remove ${one.repository}`}
        onClick={() => onRemove(one)}
      >
        Remove
      </button>
    ),
  },
];

/**
 * The trusted repositories, whose CI jobs get tokens for 15 minutes, so that CI stores no secret.
 */
export function CiTrusts({ team }: { team: TeamMembership }) {
  const trusts = useQuery(ciTrustsQuery(team.id));
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<CiTrust | null>(null);
  return (
    <Section
      title="CI without stored secrets"
      aside="jobs of these repositories get tokens for 15 minutes"
      controls={<Button onClick={() => setAdding(true)}>Trust a repository</Button>}
    >
      <ListTable
        label="Trusted repositories"
        records={trusts}
        columns={columns(setRemoving)}
        rowKey={(one) => one.id}
        size={{ minWidth: 700, rowHeight: 38, skeletonRows: 1 }}
        empty={{ text: 'No trusted repositories yet.', help: 'tokens' }}
      />
      {adding && (
        <FormDialog title="Trust a repository" onClose={() => setAdding(false)}>
          <TrustForm team={team} onClose={() => setAdding(false)} />
        </FormDialog>
      )}
      {removing && (
        <DeleteResource
          name={removing.repository}
          noun="repository"
          act="Remove"
          request={() => deleteCiTrust(team.id, removing.id)}
          stale={ciTrustsQuery(team.id).queryKey}
          onClose={() => setRemoving(null)}
        >
          Tokens of its jobs are invalid immediately.
        </DeleteResource>
      )}
    </Section>
  );
}

function TrustForm({ team, onClose }: { team: TeamMembership; onClose: () => void }) {
  const client = useQueryClient();
  const accounts = useQuery(serviceAccountsQuery(team.id)).data?.items ?? [];
  const [account, setAccount] = useState<string | null>(null);
  const [provider, setProvider] = useState<CiTrustInput['provider']>('github');
  const [texts, setTexts] = useState({ repository: '', issuer: '', branch: '', environment: '' });
  const [scopes, setScopes] = useState('upload');
  const save = useMutation({
    mutationFn: () =>
      createCiTrust(team.id, {
        service_account_id: account!,
        provider,
        repository: texts.repository.trim(),
        issuer: texts.issuer.trim() || null,
        branch: texts.branch.trim() || null,
        environment: texts.environment.trim() || null,
        scopes: scopes.split(',') as CiTrustInput['scopes'],
      }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ciTrustsQuery(team.id).queryKey });
      onClose();
    },
  });
  const field = (name: keyof typeof texts, label: string, more: object = {}) => (
    <TextInput
      label={label}
      value={texts[name]}
      onChange={onText((value) => setTexts({ ...texts, [name]: value }))}
      {...more}
    />
  );
  const blocked = account === null ? 'Choose a service account; create one first' : undefined;
  return (
    <FormBody
      what="The repository is not trusted"
      submit="Trust"
      save={save}
      blocked={blocked}
      onCancel={onClose}
    >
      <Select
        label="Code host"
        data={PROVIDERS}
        allowDeselect={false}
        value={provider}
        onChange={(next) => next && setProvider(next)}
      />
      {field('repository', 'Repository', { required: true, placeholder: 'owner/name' })}
      {field('branch', 'Only this branch', { placeholder: 'all' })}
      {field('environment', 'Only this environment', { placeholder: 'all' })}
      {field('issuer', 'Issuer', { placeholder: 'github.com or gitlab.com' })}
      <Select
        label="Acts as"
        description={blocked}
        data={accounts.map(({ id, name }) => ({ value: id, label: name }))}
        value={account}
        onChange={setAccount}
      />
      <Select
        label="Scopes"
        data={SCOPES}
        allowDeselect={false}
        value={scopes}
        onChange={(next) => next && setScopes(next)}
      />
    </FormBody>
  );
}
