import { useQuery } from '@tanstack/react-query';
import type { TeamMembership } from '../api';
import { membersQuery } from '../features/platform/accounts';

/** Returns the people who can be assigned: the members of the team. */
export function usePeople(team: TeamMembership): { id: string; name: string }[] {
  const members = useQuery(membersQuery(team.id));
  return (members.data?.items ?? []).map(({ user_id, name }) => ({ id: user_id, name }));
}
