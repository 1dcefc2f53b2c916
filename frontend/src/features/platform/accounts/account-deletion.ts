/** Queries and mutations that delete an account or a team, or restore a deleted team. */
import { queryOptions } from '@tanstack/react-query';
import { calls } from '../../../api';

export const closedTeamsQuery = queryOptions({
  queryKey: ['closed-team'],
  queryFn: ({ signal }) => calls.deletedTeamsList({ signal }),
});

export const reopenTeam = (team_id: string) => calls.deletedTeamsRestore({ path: { team_id } });
export const deleteAccount = (body: { email: string; current_password: string | null }) =>
  calls.usersDelete({ body });
