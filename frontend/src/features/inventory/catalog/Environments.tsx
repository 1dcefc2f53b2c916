import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { DeleteResource, EmptyState, ErrorState, Section, SkeletonRows, onText } from '../../../ui';
import classes from './Catalog.module.css';
import {
  updateEnvironment,
  createEnvironment,
  deleteEnvironment,
  environmentsQuery,
} from './catalog-queries';

/** The environments of the team: a short list that is edited in place. */
export function Environments({ mayManage }: { mayManage: boolean }) {
  const client = useQueryClient();
  const environments = useQuery(environmentsQuery);
  const [name, setName] = useState('');
  const onSettled = () => client.invalidateQueries({ queryKey: ['environment'] });
  const add = useMutation({
    mutationFn: createEnvironment,
    onSettled,
    onSuccess: () => setName(''),
  });
  const rename = useMutation({
    mutationFn: ({ id, to }: { id: string; to: string }) => updateEnvironment(id, to),
    onSettled,
  });
  const [deleting, setDeleting] = useState<{ id: string; name: string } | null>(null);
  const error = environments.error ?? add.error ?? rename.error;
  const rows = environments.data?.items ?? [];
  return (
    <Section title="Environments" aside="where services run: production, staging, ci">
      {error && <ErrorState error={error} />}
      {environments.isPending && <SkeletonRows rows={2} />}
      {environments.data && rows.length === 0 && <EmptyState>No environments yet.</EmptyState>}
      <ul className={classes.list}>
        {rows.map((environment) => (
          <li key={environment.id} className={classes.item}>
            {mayManage ? (
              <TextInput
                aria-label={`Name of ${environment.name}`}
                variant="unstyled"
                defaultValue={environment.name}
                onBlur={(event) => {
                  const to = event.currentTarget.value.trim();
                  if (to !== '' && to !== environment.name)
                    rename.mutate({ id: environment.id, to });
                }}
                onKeyDown={(event) => {
                  if (event.key === 'Enter') event.currentTarget.blur();
                }}
              />
            ) : (
              environment.name
            )}
            <span className="grow" />
            {mayManage && (
              <button
                type="button"
                className="link"
                aria-label={`Delete ${environment.name}`}
                onClick={() => setDeleting(environment)}
              >
                Delete
              </button>
            )}
          </li>
        ))}
      </ul>
      {deleting && (
        <DeleteResource
          name={deleting.name}
          noun="environment"
          request={() => deleteEnvironment(deleting.id)}
          stale={['environment']}
          onClose={() => setDeleting(null)}
        >
          Deletes its deployments, annotations and change points. Comparisons keep their results.
        </DeleteResource>
      )}
      {mayManage && (
        <form
          className={classes.inline}
          onSubmit={(event) => {
            event.preventDefault();
            add.mutate(name);
          }}
        >
          <TextInput
            aria-label="New environment"
            placeholder="production"
            required
            value={name}
            onChange={onText(setName)}
          />
          <Button type="submit" loading={add.isPending}>
            Add environment
          </Button>
        </form>
      )}
    </Section>
  );
}
