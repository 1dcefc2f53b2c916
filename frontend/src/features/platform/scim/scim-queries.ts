import { queryOptions } from '@tanstack/react-query';
import { calls } from '../../../api';

export const scimQuery = (team_id: string) =>
  queryOptions({
    queryKey: ['scim', team_id],
    queryFn: ({ signal }) => calls.scimSettingsGet({ path: { team_id }, signal }),
  });

export const provisionedMembersQuery = (team_id: string) =>
  queryOptions({
    queryKey: ['provisioned-members', team_id],
    queryFn: ({ signal }) =>
      calls.provisionedMembersList({ path: { team_id }, query: { limit: 200 }, signal }),
  });
