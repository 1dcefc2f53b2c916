/** The form for the URL of a repository that has none. */
import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { ErrorState } from '../../../../ui';
import { HostRepositorySelect, type HostChoice } from '../../../inventory/repositories';
import { addRepository, setRepositoryUrl } from '../shared/bisect-queries';
import { lastOf } from '../shared/bisect-wording';
import classes from './start.module.css';

type Props = {
  /** The repository without a URL; null: a new one. */
  repositoryId: string | null;
  /** The service of a new repository; null: it contains a dependency. */
  serviceId: string | null;
  suggested: string;
  onSaved: () => void;
};

export function RepositoryUrlForm({ repositoryId, serviceId, suggested, onSaved }: Props) {
  const client = useQueryClient();
  const [url, setUrl] = useState(suggested);
  const [credentialsOf, setCredentialsOf] = useState<string | null>(null);
  const choose = (chosen: HostChoice) => {
    setUrl(chosen.url);
    setCredentialsOf(chosen.credentialsOf);
  };
  const save = useMutation({
    mutationFn: async () => {
      const name = lastOf(url.trim()).replace(/\.git$/u, '') || 'repository';
      await (repositoryId === null
        ? addRepository({ name, url: url.trim(), serviceId, credentialsOf })
        : setRepositoryUrl(repositoryId, url.trim()));
    },
    onSuccess: async () => {
      onSaved();
      await client.invalidateQueries();
    },
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <form className={classes.url} onSubmit={submit}>
      {repositoryId === null && <HostRepositorySelect onChoose={choose} />}
      <TextInput
        label="Address of the repository"
        placeholder="https://github.com/northwind/mono.git"
        description="A private repository also needs credentials: add them in Settings, Integrations."
        classNames={{ input: 'mono' }}
        maxLength={2000}
        value={url}
        onChange={(event) => {
          setUrl(event.currentTarget.value);
          setCredentialsOf(null);
        }}
      />
      <Button type="submit" disabled={url.trim() === ''} loading={save.isPending}>
        Add and fetch
      </Button>
      {save.error && <ErrorState compact what="Could not save the address" error={save.error} />}
    </form>
  );
}
