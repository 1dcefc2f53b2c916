/** The command that starts a runner, with a new token for users who can create one. */
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useCliCommand } from '../../../platform/cli';
import { CopyField, ErrorState } from '../../../../ui';
import classes from '../shared/bisects.module.css';
import type { Labels } from '../shared/runner-labels';
import { createRunnerToken } from '../shared/bisect-queries';
import { runnerCommand } from '../shared/bisect-wording';

export type RunnerTeam = { id: string; mayManage: boolean };

type Props = { team: RunnerTeam; labels?: Labels };

export function RunnerCommand({ team, labels = {} }: Props) {
  const client = useQueryClient();
  const cli = useCliCommand();
  const source =
    cli.fetched.length > 0
      ? 'The first part fetches the command line from this server, for Linux.'
      : '~/slowpath is the Slowpath checkout on that host.';
  const token = useMutation({
    mutationFn: () => createRunnerToken(team.id),
    onSettled: () => client.invalidateQueries({ queryKey: ['tokens'] }),
  });
  return (
    <div className={classes.command}>
      <CopyField
        label="Start a runner where the service can be deployed, in its repository"
        description={
          token.data
            ? 'The token is shown once. Slowpath stores only its hash.'
            : `${source} deploy.sh starts the commit in its working directory and keeps running; measure.sh prints a number or writes profiles to $SLOWPATH_OUT. For every dependency to search: --module-repo example.com/lib=../lib.`
        }
        value={runnerCommand(cli, {
          server: window.location.origin,
          token: token.data?.secret ?? '$TOKEN',
          labels,
        })}
      />
      {token.error && <ErrorState compact what="Could not create a token" error={token.error} />}
      {team.mayManage ? (
        !token.data && (
          <Button
            style={{ alignSelf: 'flex-start' }}
            loading={token.isPending}
            onClick={() => token.mutate()}
          >
            Create a token
          </Button>
        )
      ) : (
        <p className="muted">
          Its token needs the scope “runner”. An admin can create one under Settings, API tokens.
        </p>
      )}
    </div>
  );
}
