/** Adding a repository, or changing one. Credentials go in; none ever comes back, so a form begins without them. */
import { Button, Select, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Repository, RepositoryWords } from '../../api';
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
import { servicesQuery } from '../catalog';
import classes from './commits.module.css';
import { changeRepository, createRepository } from './queries';

type FormProps = { repository: Repository | null; onDone: () => void };
type Built = { service_id: string; directory: string; main_package: string };

export function RepositoryForm({ repository, onDone }: FormProps) {
  const title = repository ? `Edit ${repository.name}` : 'New repository';
  return (
    <FormDialog title={title} size="lg" onClose={onDone}>
      <Fields repository={repository} onDone={onDone} />
    </FormDialog>
  );
}

function Fields({ repository, onDone }: FormProps) {
  const client = useQueryClient();
  const [name, setName] = useState(repository?.name ?? '');
  const [url, setUrl] = useState(repository?.url ?? '');
  const [choice, setChoice] = useState<CredentialsChoice>(repository ? 'as-is' : 'none');
  const [secrets, setSecrets] = useState(NO_SECRETS);
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
    <FormBody
      what="The repository was not kept"
      submit={repository ? 'Keep' : 'Add repository'}
      keep={keep}
      onCancel={onDone}
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
          kept={again ? null : (repository?.credentials ?? null)}
          kind={kind}
          onKind={setChoice}
          secrets={secrets}
          onSecrets={setSecrets}
          tokenHint="One that may only read this repository"
        />
      )}
      {url.trim() !== '' && again && <CredentialsAgain />}
      <BuiltFields built={built} onBuilt={setBuilt} />
    </FormBody>
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
