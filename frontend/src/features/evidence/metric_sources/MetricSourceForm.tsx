/** Adding a source, or changing one. Credentials go in; none ever comes back, so a form begins without them. */
import { TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { MetricSource, MetricSourceWords } from '../../../api';
import {
  CredentialsReentry,
  CredentialsFields,
  FormBody,
  FormDialog,
  NO_SECRETS,
  needsSecretAgain,
  credentialsOf,
  type CredentialsChoice,
} from '../../../ui';
import { updateSource, sourceCheckKey, createSource } from './metric-source-queries';

type FormProps = { source: MetricSource | null; onDone: () => void };

export function MetricSourceForm({ source, onDone }: FormProps) {
  return (
    <FormDialog title={source ? `Edit ${source.name}` : 'New source'} onClose={onDone}>
      <Fields source={source} onDone={onDone} />
    </FormDialog>
  );
}

function Fields({ source, onDone }: FormProps) {
  const client = useQueryClient();
  const [name, setName] = useState(source?.name ?? '');
  const [url, setUrl] = useState(source?.url ?? '');
  const [choice, setChoice] = useState<CredentialsChoice>(source ? 'as-is' : 'none');
  const [secrets, setSecrets] = useState(NO_SECRETS);
  const again = needsSecretAgain(source, url);
  const kind = choice === 'as-is' && source && again ? source.credentials : choice;
  const keep = useMutation({
    mutationFn: () => {
      const words: MetricSourceWords = {
        name,
        url: url.trim(),
        ...(kind !== 'as-is' && { credentials: credentialsOf(kind, secrets) }),
      };
      return source ? updateSource(source.id, words) : createSource(words);
    },
    onSuccess: async ({ id }) => {
      await client.resetQueries({ queryKey: sourceCheckKey(id) }); // who answers may be another now
      await client.invalidateQueries({ queryKey: ['metric_source'] });
      onDone();
    },
  });
  return (
    <FormBody
      what="Could not save the source"
      submit={source ? 'Save' : 'Add source'}
      keep={keep}
      onCancel={onDone}
    >
      <TextInput
        label="Name"
        placeholder="Production Prometheus"
        required
        maxLength={200}
        data-autofocus
        value={name}
        onChange={(event) => {
          setName(event.currentTarget.value);
        }}
      />
      <TextInput
        label="URL"
        description="Base URL, without /api/v1"
        placeholder="https://prometheus.example/prometheus"
        required
        classNames={{ input: 'mono' }}
        value={url}
        onChange={(event) => {
          setUrl(event.currentTarget.value);
        }}
      />
      <CredentialsFields
        kept={again ? null : (source?.credentials ?? null)}
        kind={kind}
        onKind={setChoice}
        secrets={secrets}
        onSecrets={setSecrets}
        tokenHint="Sent as a bearer token"
      />
      {again && <CredentialsReentry />}
    </FormBody>
  );
}
