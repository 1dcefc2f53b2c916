/** The user's logins at code hosts, by which CODEOWNERS files and commits refer to the user. */
import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorState, Section, SkeletonRows, onText } from '../../../ui';
import classes from './Settings.module.css';
import { codeHostLoginsQuery, updateCodeHostLogins } from './account-queries';

/** Parses logins: "@octocat, octo-work". */
const loginsIn = (text: string): string[] =>
  text
    .split(/[\s,]+/u)
    .map((login) => login.replace(/^@/u, ''))
    .filter((login) => login !== '');

export function CodeHostLogins() {
  const client = useQueryClient();
  const own = useQuery(codeHostLoginsQuery);
  const [typed, setTyped] = useState<string | null>(null);
  const save = useMutation({
    mutationFn: updateCodeHostLogins,
    onSuccess: (saved) => {
      client.setQueryData(codeHostLoginsQuery.queryKey, saved);
      setTyped(null);
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['commit'] }),
  });
  const error = own.error ?? save.error;
  return (
    <Section title="Code host logins" aside="by which code owners and commits name you" narrow>
      {error && <ErrorState compact error={error} />}
      {own.isPending && <SkeletonRows rows={1} />}
      {own.data && (
        <form
          className={classes.column}
          onSubmit={(event) => {
            event.preventDefault();
            save.mutate(loginsIn(typed ?? ''));
          }}
        >
          <TextInput
            label="Logins at GitHub, GitLab and others"
            placeholder="octocat, octo-work"
            description="At most 10, separated by commas"
            maxLength={2600}
            value={typed ?? own.data.logins.join(', ')}
            onChange={onText(setTyped)}
          />
          <Button type="submit" disabled={typed === null} loading={save.isPending}>
            Save
          </Button>
        </form>
      )}
    </Section>
  );
}
