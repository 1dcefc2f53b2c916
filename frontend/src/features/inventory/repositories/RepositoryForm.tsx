/**
 * The form that adds or changes a repository. The API never returns credentials, so these fields
 * are empty at first.
 */
import { Button, Select, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Repository, RepositoryWords } from '../../../api';
import {
  CredentialsFields,
  FormBody,
  FormDialog,
  NameField,
  onText,
  useCredentials,
} from '../../../ui';
import { servicesQuery } from '../catalog';
import classes from './commits.module.css';
import { HostRepositorySelect, type HostChoice } from './HostRepositorySelect';
import { updateRepository, createRepository } from './commit-queries';

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
  const [template, setTemplate] = useState(repository?.file_template ?? '');
  const [built, setBuilt] = useState<Built[]>(repository?.services ?? []);
  const [credentialsOf, setCredentialsOf] = useState<string | null>(null);
  const { fields, credentials } = useCredentials(repository, url.trim());
  const choose = (chosen: HostChoice) => {
    setName(chosen.name.split('/').at(-1) ?? chosen.name);
    setUrl(chosen.url);
    setCredentialsOf(chosen.credentialsOf);
  };
  const save = useMutation({
    mutationFn: () => {
      const words: RepositoryWords = {
        name,
        ...(url.trim() !== '' && { url: url.trim() }),
        ...(credentialsOf !== null
          ? { credentials_of: credentialsOf }
          : credentials && url.trim() !== '' && { credentials }),
        ...((template.trim() !== '' || repository?.file_template) && {
          file_template: template.trim() || null,
        }),
        services: built
          .filter(({ service_id }) => service_id !== '')
          .map(({ service_id, directory, main_package }) => ({
            service_id,
            directory,
            main_package,
          })),
      };
      return repository ? updateRepository(repository.id, words) : createRepository(words);
    },
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['repository'] });
      onDone();
    },
  });
  return (
    <FormBody
      what="Could not save the repository"
      submit={repository ? 'Save' : 'Add repository'}
      save={save}
      onCancel={onDone}
    >
      {!repository && <HostRepositorySelect onChoose={choose} />}
      <NameField placeholder="monorepo" value={name} onChange={setName} />
      <TextInput
        label="URL"
        description="HTTPS clone URL. Leave empty if only commit metadata is pushed"
        placeholder="https://github.com/example/monorepo.git"
        classNames={{ input: 'mono' }}
        value={url}
        onChange={onText((next) => {
          setUrl(next);
          setCredentialsOf(null);
        })}
      />
      {url.trim() !== '' && credentialsOf === null && (
        <CredentialsFields
          {...fields}
          tokenHint="Use a token with read-only access to this repository"
        />
      )}
      <TextInput
        label="Address of files"
        description="Only if the code host is not GitHub, GitLab, Bitbucket or Gitea"
        placeholder="https://code.example.org/monorepo/+/{commit}/{path}?line={line}"
        classNames={{ input: 'mono' }}
        value={template}
        onChange={onText(setTemplate)}
      />
      <BuiltFields built={built} onBuilt={setBuilt} />
    </FormBody>
  );
}

type BuiltProps = { built: Built[]; onBuilt: (built: Built[]) => void };

function BuiltFields({ built, onBuilt }: BuiltProps) {
  const services = useQuery(servicesQuery);
  const choices = (services.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const change = (index: number, what: Partial<Built>) =>
    onBuilt(built.map((one, at) => (at === index ? { ...one, ...what } : one)));
  return (
    <fieldset className={classes.built}>
      <legend>Services built from this repository</legend>
      {built.map((one, index) => (
        <div key={index} className={classes.builtLine}>
          <Select
            label="Service"
            data={choices}
            value={one.service_id || null}
            searchable
            onChange={(next) => change(index, { service_id: next ?? '' })}
          />
          <TextInput
            label="Module directory"
            placeholder="Repository root"
            classNames={{ input: 'mono' }}
            value={one.directory}
            onChange={(event) => change(index, { directory: event.currentTarget.value })}
          />
          <TextInput
            label="Main package"
            placeholder="cmd/server"
            classNames={{ input: 'mono' }}
            value={one.main_package}
            onChange={(event) => change(index, { main_package: event.currentTarget.value })}
          />
          <Button
            aria-label={`Remove service ${String(index + 1)}`}
            onClick={() => onBuilt(built.filter((_, at) => at !== index))}
          >
            Remove
          </Button>
        </div>
      ))}
      <div>
        <Button
          size="compact-xs"
          onClick={() => onBuilt([...built, { service_id: '', directory: '', main_package: '' }])}
        >
          Add service
        </Button>
      </div>
    </fieldset>
  );
}
