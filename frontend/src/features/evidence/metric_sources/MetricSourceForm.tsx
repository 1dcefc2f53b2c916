/** A form that adds or changes a source. The API returns no credentials, so they start empty. */
import { TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { MetricSource, MetricSourceWords } from '../../../api';
import {
  CredentialsFields,
  FormBody,
  FormDialog,
  NameField,
  onText,
  useCredentials,
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
  const { fields, credentials } = useCredentials(source, url);
  const save = useMutation({
    mutationFn: () => {
      const words: MetricSourceWords = {
        name,
        url: url.trim(),
        ...(credentials && { credentials }),
      };
      return source ? updateSource(source.id, words) : createSource(words);
    },
    onSuccess: async ({ id }) => {
      await client.resetQueries({ queryKey: sourceCheckKey(id) }); // The server may be another.
      await client.invalidateQueries({ queryKey: ['metric_source'] });
      onDone();
    },
  });
  return (
    <FormBody
      what="Could not save the source"
      submit={source ? 'Save' : 'Add source'}
      save={save}
      onCancel={onDone}
    >
      <NameField placeholder="Production Prometheus" value={name} onChange={setName} />
      <TextInput
        label="URL"
        description="Base URL, without /api/v1"
        placeholder="https://prometheus.example/prometheus"
        required
        classNames={{ input: 'mono' }}
        value={url}
        onChange={onText(setUrl)}
      />
      <CredentialsFields {...fields} tokenHint="Sent as a bearer token" />
    </FormBody>
  );
}
