import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ErrorState, Section, Timestamp } from '../../../ui';
import classes from './Settings.module.css';
import { closedTeamsQuery, reopenTeam } from './account-deletion';
import { sessionQuery } from './account-queries';

/** The user's deleted teams that are not erased yet. Hidden if there are none. */
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
    <Section title="Deleted teams" aside="closed; an owner can restore a team until it is erased">
      <ul className={classes.closed} aria-label="Deleted teams">
        {teams.map((team) => (
          <li key={team.id}>
            <b>{team.name}</b>
            <span className="muted">
              permanently erased <Timestamp at={team.erased_at} exact />
            </span>
            <Button
              size="compact-xs"
              aria-label={`Restore ${team.name}`}
              loading={reopen.isPending && reopen.variables === team.id}
              onClick={() => reopen.mutate(team.id)}
            >
              Restore
            </Button>
          </li>
        ))}
      </ul>
      {reopen.error && (
        <ErrorState compact what="Could not restore the team" error={reopen.error} />
      )}
    </Section>
  );
}
