/** Adding a source, or changing one. Credentials go in; none ever comes back, so a form begins without them. */
import { TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { MetricSource, MetricSourceWords } from '../../api';
import {
  CredentialsAgain,
  CredentialsFields,
  FormBody,
  FormDialog,
  NO_SECRETS,
  asksAgain,
  credentialsOf,
  type CredentialsChoice,
} from '../../ui';
import { changeSource, checkKey, createSource } from './queries';

type FormProps = { source: MetricSource | null; onDone: () => void };

export function SourceForm({ source, onDone }: FormProps) {
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
  const again = asksAgain(source, url);
  const kind = choice === 'as-is' && source && again ? source.credentials : choice;
  const keep = useMutation({
    mutationFn: () => {
      const words: MetricSourceWords = {
        name,
        url: url.trim(),
        ...(kind !== 'as-is' && { credentials: credentialsOf(kind, secrets) }),
      };
      return source ? changeSource(source.id, words) : createSource(words);
    },
    onSuccess: async ({ id }) => {
      await client.resetQueries({ queryKey: checkKey(id) }); // who answers may be another now
      await client.invalidateQueries({ queryKey: ['metric_source'] });
      onDone();
    },
  });
  return (
    <FormBody
      what="The source was not kept"
      submit={source ? 'Keep' : 'Add source'}
      keep={keep}
      onCancel={onDone}
    >
      <TextInput
        label="Name"
        placeholder="Prometheus of production"
        required
        maxLength={200}
        data-autofocus
        value={name}
        onChange={(event) => {
          setName(event.currentTarget.value);
        }}
      />
      <TextInput
        label="Address"
        description="What stands before /api/v1"
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
      {again && <CredentialsAgain />}
    </FormBody>
  );
}
