/** Adding a repository, or changing one. Credentials go in; none ever comes back, so a form begins without them. */
import { Button, Modal, PasswordInput, Select, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Repository, RepositoryWords } from '../../api';
import { ErrorState } from '../../ui';
import { servicesQuery } from '../catalog';
import classes from './commits.module.css';
import { changeRepository, createRepository } from './queries';
import { CREDENTIALS, asksAgain, type RepositoryCredentials } from './wording';

type FormProps = { repository: Repository | null; onDone: () => void };
type Choice = RepositoryCredentials | 'as-is';
type Secrets = { token: string; username: string; password: string };
type Built = { service_id: string; directory: string; main_package: string };

export function RepositoryForm({ repository, onDone }: FormProps) {
  return (
    <Modal
      opened
      onClose={onDone}
      size="lg"
      title={repository ? `Edit ${repository.name}` : 'New repository'}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Fields repository={repository} onDone={onDone} />
    </Modal>
  );
}

function credentialsOf(kind: RepositoryCredentials, { token, username, password }: Secrets) {
  if (kind === 'bearer') return { kind, token: token.trim() };
  return kind === 'basic' ? { kind, username, password } : { kind };
}

const NOTHING: Secrets = { token: '', username: '', password: '' };

function Fields({ repository, onDone }: FormProps) {
  const client = useQueryClient();
  const [name, setName] = useState(repository?.name ?? '');
  const [url, setUrl] = useState(repository?.url ?? '');
  const [choice, setChoice] = useState<Choice>(repository ? 'as-is' : 'none');
  const [secrets, setSecrets] = useState(NOTHING);
  const [built, setBuilt] = useState<Built[]>(repository?.services ?? []);
  const again = asksAgain(repository, url.trim());
  const kind = choice === 'as-is' && repository && again ? repository.credentials : choice;
  const keep = useMutation({
    mutationFn: () => {
      const words: RepositoryWords = {
        name,
        ...(url.trim() !== '' && { url: url.trim() }),
        ...(kind !== 'as-is' && url.trim() !== '' && { credentials: credentialsOf(kind, secrets) }),
        services: built
          .filter(({ service_id }) => service_id !== '')
          .map(({ service_id, directory, main_package }) => ({
            service_id,
            directory,
            main_package,
          })),
      };
      return repository ? changeRepository(repository.id, words) : createRepository(words);
    },
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['repository'] });
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
        placeholder="monorepo"
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
        description="As git clones it, by https. Empty if only facts of its commits are pushed"
        placeholder="https://github.com/example/monorepo.git"
        classNames={{ input: 'mono' }}
        value={url}
        onChange={(event) => {
          setUrl(event.currentTarget.value);
        }}
      />
      {url.trim() !== '' && (
        <CredentialsFields
          repository={again ? null : repository}
          kind={kind}
          onKind={setChoice}
          secrets={secrets}
          onSecrets={setSecrets}
        />
      )}
      {again && (
        <p className="t2" role="status">
          The address names another host. Credentials are given for one host only: give them again.
        </p>
      )}
      <BuiltFields built={built} onBuilt={setBuilt} />
      {keep.error && <ErrorState compact what="The repository was not kept" error={keep.error} />}
      <div className={classes.buttons}>
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" variant="filled" loading={keep.isPending}>
          {repository ? 'Keep' : 'Add repository'}
        </Button>
      </div>
    </form>
  );
}

type BuiltProps = { built: Built[]; onBuilt: (built: Built[]) => void };

function BuiltFields({ built, onBuilt }: BuiltProps) {
  const services = useQuery(servicesQuery);
  const choices = (services.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const change = (index: number, what: Partial<Built>) => {
    onBuilt(built.map((one, at) => (at === index ? { ...one, ...what } : one)));
  };
  return (
    <fieldset className={classes.built}>
      <legend>Services built from it</legend>
      {built.map((one, index) => (
        <div key={index} className={classes.builtLine}>
          <Select
            label="Service"
            data={choices}
            value={one.service_id || null}
            searchable
            onChange={(next) => {
              change(index, { service_id: next ?? '' });
            }}
          />
          <TextInput
            label="Folder of its module"
            placeholder="the root"
            classNames={{ input: 'mono' }}
            value={one.directory}
            onChange={(event) => {
              change(index, { directory: event.currentTarget.value });
            }}
          />
          <TextInput
            label="Main package"
            placeholder="cmd/server"
            classNames={{ input: 'mono' }}
            value={one.main_package}
            onChange={(event) => {
              change(index, { main_package: event.currentTarget.value });
            }}
          />
          <Button
            aria-label={`Leave out service ${String(index + 1)}`}
            onClick={() => {
              onBuilt(built.filter((_, at) => at !== index));
            }}
          >
            Leave out
          </Button>
        </div>
      ))}
      <div>
        <Button
          size="compact-xs"
          onClick={() => {
            onBuilt([...built, { service_id: '', directory: '', main_package: '' }]);
          }}
        >
          Add service
        </Button>
      </div>
    </fieldset>
  );
}

type CredentialsProps = {
  /** Whose credentials may stay as they are. */
  repository: Repository | null;
  kind: Choice;
  onKind: (kind: Choice) => void;
  secrets: Secrets;
  onSecrets: (secrets: Secrets) => void;
};

function CredentialsFields({ repository, kind, onKind, secrets, onSecrets }: CredentialsProps) {
  const kinds = Object.entries(CREDENTIALS).map(([value, label]) => ({ value, label }));
  const asIs = repository && {
    value: 'as-is',
    label: `as it is: ${CREDENTIALS[repository.credentials]}`,
  };
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
          label="Access token"
          description="One that may only read this repository"
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
