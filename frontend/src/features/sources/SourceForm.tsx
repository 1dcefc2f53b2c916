/** Adding a source, or changing one. Credentials go in; none ever comes back, so a form begins without them. */
import { Button, Modal, PasswordInput, Select, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { MetricSource, MetricSourceWords } from '../../api';
import { SourceProblem } from './SourceProblem';
import { changeSource, checkKey, createSource } from './queries';
import classes from './sources.module.css';
import { CREDENTIALS, asksAgain, type SourceCredentials } from './wording';

type FormProps = { source: MetricSource | null; onDone: () => void };
type Choice = SourceCredentials | 'as-is';
type Secrets = { token: string; username: string; password: string };

export function SourceForm({ source, onDone }: FormProps) {
  return (
    <Modal
      opened
      onClose={onDone}
      title={source ? `Edit ${source.name}` : 'New source'}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Fields source={source} onDone={onDone} />
    </Modal>
  );
}

function credentialsOf(kind: SourceCredentials, { token, username, password }: Secrets) {
  if (kind === 'bearer') return { kind, token: token.trim() };
  return kind === 'basic' ? { kind, username, password } : { kind };
}

const NOTHING: Secrets = { token: '', username: '', password: '' };

function Fields({ source, onDone }: FormProps) {
  const client = useQueryClient();
  const [name, setName] = useState(source?.name ?? '');
  const [url, setUrl] = useState(source?.url ?? '');
  const [choice, setChoice] = useState<Choice>(source ? 'as-is' : 'none');
  const [secrets, setSecrets] = useState(NOTHING);
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
    <form
      className={classes.form}
      autoComplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        keep.mutate();
      }}
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
        source={again ? null : source}
        kind={kind}
        onKind={setChoice}
        secrets={secrets}
        onSecrets={setSecrets}
      />
      {again && (
        <p className="t2" role="status">
          The address names another host. Credentials are given for one host only: give them again.
        </p>
      )}
      {keep.error && <SourceProblem what="The source was not kept" error={keep.error} />}
      <div className={classes.buttons}>
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" variant="filled" loading={keep.isPending}>
          {source ? 'Keep' : 'Add source'}
        </Button>
      </div>
    </form>
  );
}

type CredentialsProps = {
  /** Whose credentials may stay as they are. */
  source: MetricSource | null;
  kind: Choice;
  onKind: (kind: Choice) => void;
  secrets: Secrets;
  onSecrets: (secrets: Secrets) => void;
};

function CredentialsFields({ source, kind, onKind, secrets, onSecrets }: CredentialsProps) {
  const kinds = Object.entries(CREDENTIALS).map(([value, label]) => ({ value, label }));
  const asIs = source && { value: 'as-is', label: `as it is: ${CREDENTIALS[source.credentials]}` };
  return (
    <>
      <Select
        label="Credentials"
        data={asIs ? [asIs, ...kinds] : kinds}
        value={kind}
        allowDeselect={false}
        onChange={(next) => {
          onKind((next ?? 'none') as Choice);
        }}
      />
      {kind === 'bearer' && (
        <PasswordInput
          label="Token"
          required
          autoComplete="off"
          value={secrets.token}
          onChange={(event) => {
            onSecrets({ ...secrets, token: event.currentTarget.value });
          }}
        />
      )}
      {kind === 'basic' && (
        <>
          <TextInput
            label="User name"
            required
            autoComplete="off"
            value={secrets.username}
            onChange={(event) => {
              onSecrets({ ...secrets, username: event.currentTarget.value });
            }}
          />
          <PasswordInput
            label="Password"
            autoComplete="new-password"
            value={secrets.password}
            onChange={(event) => {
              onSecrets({ ...secrets, password: event.currentTarget.value });
            }}
          />
        </>
      )}
    </>
  );
}
