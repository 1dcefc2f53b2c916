/** The steps that the team skips, the same for all its members. */
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { calls } from '../../../api';
import type { StepId } from './setup-state';

const teamQuery = (team_id: string) =>
  queryOptions({
    queryKey: ['team', team_id],
    queryFn: ({ signal }) => calls.teamsGet({ path: { team_id }, signal }),
  });

type StepChange = { setup_step: StepId; is_skipped: boolean };

export function useSkippedSteps(team_id: string) {
  const client = useQueryClient();
  const team = useQuery(teamQuery(team_id));
  const change = useMutation({
    mutationFn: ({ setup_step, is_skipped }: StepChange) =>
      calls.teamsSetSetupStep({ path: { team_id, setup_step }, body: { is_skipped } }),
    onSuccess: (changed) => client.setQueryData(teamQuery(team_id).queryKey, changed),
  });
  return {
    /** Undefined while they are loading. */
    skipped: team.data && new Set(team.data.skipped_setup_steps),
    error: team.error ?? change.error,
    set: (setup_step: StepId, is_skipped: boolean) => change.mutate({ setup_step, is_skipped }),
  };
}
