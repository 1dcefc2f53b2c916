/** The one command that starts a runner, with a token of its own made here for those who may. */
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { CopyField, ErrorState } from '../../ui';
import classes from './bisects.module.css';
import type { Labels } from './labels';
import { createRunnerToken } from './queries';
import { runnerCommand } from './wording';

export type RunnerTeam = { id: string; mayManage: boolean };

type Props = { team: RunnerTeam; labels?: Labels };

export function RunnerCommand({ team, labels = {} }: Props) {
  const client = useQueryClient();
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
            ? 'The token is shown this once; Slowpath keeps only its hash.'
            : '~/slowpath is where Slowpath is checked out there. deploy.sh starts the commit it stands in and stays; measure.sh prints a number, or leaves profiles in $SLOWPATH_OUT. For every dependency to search in: --module-repo example.com/lib=../lib.'
        }
        value={runnerCommand(window.location.origin, token.data?.secret ?? '$TOKEN', labels)}
      />
      {token.error && <ErrorState compact what="No token was made" error={token.error} />}
      {team.mayManage ? (
        !token.data && (
          <Button
            style={{ alignSelf: 'flex-start' }}
            loading={token.isPending}
            onClick={() => {
              token.mutate();
            }}
          >
            Make a token for it
          </Button>
        )
      ) : (
        <p className="muted">
          Its token needs the scope “runner”; an admin makes one under Settings, API tokens.
        </p>
      )}
    </div>
  );
}
