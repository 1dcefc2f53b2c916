/** Other credentials for a repository whose token is refused or expires soon. */
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { SubmitEvent } from 'react';
import { CredentialsFields, ErrorState, useCredentials } from '../../../../ui';
import { setRepositoryCredentials } from '../shared/bisect-queries';
import classes from './start.module.css';

type Props = { repositoryId: string; onSaved: () => void };

export function RepositoryCredentialsForm({ repositoryId, onSaved }: Props) {
  const client = useQueryClient();
  const { fields, credentials } = useCredentials(null, '', 'bearer');
  const save = useMutation({
    mutationFn: () => setRepositoryCredentials(repositoryId, credentials),
    onSuccess: async () => {
      onSaved();
      await client.invalidateQueries({ queryKey: ['repository'] });
    },
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <form className={classes.url} onSubmit={submit}>
      <CredentialsFields
        {...fields}
        tokenHint="Use a token with read-only access to this repository"
      />
      <Button type="submit" loading={save.isPending}>
        Save and check
      </Button>
      {save.error && (
        <ErrorState compact what="Could not save the credentials" error={save.error} />
      )}
    </form>
  );
}
