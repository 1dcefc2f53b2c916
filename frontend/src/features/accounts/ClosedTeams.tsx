import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ErrorState, Section, Time } from '../../ui';
import classes from './Settings.module.css';
import { closedTeamsQuery, reopenTeam } from './leaving';
import { sessionQuery } from './queries';

/** Teams of yours that were deleted and are not erased yet. Nothing is shown while there are none. */
export function ClosedTeams({ onReopened }: { onReopened?: (slug: string) => void }) {
  const client = useQueryClient();
  const { data: teams = [] } = useQuery(closedTeamsQuery);
  const reopen = useMutation({
    mutationFn: reopenTeam,
    onSettled: async (reopened) => {
      await client.invalidateQueries({ queryKey: closedTeamsQuery.queryKey });
      await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
      if (reopened) onReopened?.(reopened.slug);
    },
  });
  if (teams.length === 0) return null;
  return (
    <Section
      title="Deleted teams"
      aside="nobody can enter; until it is erased an owner can undo it"
    >
      <ul className={classes.closed} aria-label="Deleted teams">
        {teams.map((team) => (
          <li key={team.id}>
            <b>{team.name}</b>
            <span className="muted">
              erased for good <Time at={team.erased_at} exact />
            </span>
            <Button
              size="compact-xs"
              aria-label={`Reopen ${team.name}`}
              loading={reopen.isPending && reopen.variables === team.id}
              onClick={() => {
                reopen.mutate(team.id);
              }}
            >
              Reopen
            </Button>
          </li>
        ))}
      </ul>
      {reopen.error && <ErrorState compact what="It was not reopened" error={reopen.error} />}
    </Section>
  );
}
