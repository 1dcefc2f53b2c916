/**
 * The form that adds a webhook. The server creates its secret, which is shown once. The token for
 * the reconciliation of missed deliveries is optional.
 */
import { MultiSelect, PasswordInput, Select, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Hook, WebhookCreatedOut } from '../../../api';
import { FormBody, FormDialog, NameField, onText } from '../../../ui';
import '../../../ui/pill-styles';
import { servicesQuery } from '../catalog';
import { repositoriesQuery } from '../repositories';
import { createWebhook } from './webhook-queries';
import { RECONCILIATION_STATES, KINDS } from './webhook-wording';

type FormProps = { onDone: (made: WebhookCreatedOut | null) => void };

export function WebhookForm({ onDone }: FormProps) {
  return (
    <FormDialog title="New webhook" onClose={() => onDone(null)}>
      <Fields onDone={onDone} />
    </FormDialog>
  );
}

function Fields({ onDone }: FormProps) {
  const client = useQueryClient();
  const services = useQuery(servicesQuery);
  const repositories = useQuery(repositoriesQuery);
  const [name, setName] = useState('');
  const [kind, setKind] = useState<Hook['kind']>('github');
  const [repositoryId, setRepositoryId] = useState<string | null>(null);
  const [chosen, setChosen] = useState<string[]>([]);
  const [token, setToken] = useState('');
  const [url, setUrl] = useState('');
  const reconciliation = RECONCILIATION_STATES[kind];
  const save = useMutation({
    mutationFn: () =>
      createWebhook({
        name,
        kind,
        repository_id: repositoryId,
        service_ids: chosen,
        ...(reconciliation &&
          token.trim() !== '' && {
            api: { url: url.trim() || reconciliation.api, token: token.trim() },
          }),
      }),
    onSuccess: async (made) => {
      await client.invalidateQueries({ queryKey: ['webhook'] });
      onDone(made);
    },
  });
  return (
    <FormBody
      what="Could not add the webhook"
      submit="Add webhook"
      save={save}
      onCancel={() => onDone(null)}
    >
      <NameField placeholder="monorepo" value={name} onChange={setName} />
      <Select
        label="Kind"
        data={Object.entries(KINDS).map(([value, label]) => ({ value, label }))}
        allowDeselect={false}
        value={kind}
        onChange={(next) => setKind((next ?? 'github') as Hook['kind'])}
      />
      <Select
        label="Repository"
        description="Repository whose commits are recorded"
        clearable
        data={(repositories.data?.items ?? []).map((one) => ({ value: one.id, label: one.name }))}
        value={repositoryId}
        onChange={setRepositoryId}
      />
      <MultiSelect
        label="Services"
        description="If none are selected: the services built from the repository"
        searchable
        data={(services.data?.items ?? []).map((one) => ({ value: one.id, label: one.name }))}
        value={chosen}
        onChange={setChosen}
      />
      {reconciliation && (
        <PasswordInput
          label="Token"
          description={reconciliation.token}
          autoComplete="off"
          value={token}
          onChange={onText(setToken)}
        />
      )}
      {reconciliation && token !== '' && (
        <TextInput
          label="API"
          description="Only for a self-hosted server"
          placeholder={reconciliation.api}
          classNames={{ input: 'mono' }}
          value={url}
          onChange={onText(setUrl)}
        />
      )}
    </FormBody>
  );
}
