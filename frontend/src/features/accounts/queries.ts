import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { calls, type Role, type TokenScope } from '../../api';

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => calls.sessionGet({ signal }),
  staleTime: 60_000,
  retry: false,
});

export const invitationQuery = (secret: string) =>
  queryOptions({
    queryKey: ['invitation', secret],
    queryFn: ({ signal }) => calls.invitationsLook({ path: { secret }, signal }),
    retry: false,
  });

export const membersQuery = (team_id: string) =>
  queryOptions({
    queryKey: ['members', team_id],
    queryFn: ({ signal }) =>
      calls.membersList({ path: { team_id }, query: { limit: 200 }, signal }),
  });

export const invitationsQuery = (team_id: string) =>
  queryOptions({
    queryKey: ['invitations', team_id],
    queryFn: ({ signal }) =>
      calls.invitationsList({ path: { team_id }, query: { limit: 200 }, signal }),
  });

export const tokensQuery = (team_id: string) =>
  queryOptions({
    queryKey: ['tokens', team_id],
    queryFn: ({ signal }) => calls.tokensList({ path: { team_id }, query: { limit: 200 }, signal }),
  });

export const auditQuery = (team_id: string) =>
  infiniteQueryOptions({
    queryKey: ['audit', team_id],
    queryFn: ({ pageParam, signal }) =>
      calls.auditEventsList({
        path: { team_id },
        query: { cursor: pageParam, limit: 100 },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  });

export const browsersQuery = queryOptions({
  queryKey: ['browsers'],
  queryFn: ({ signal }) => calls.sessionsList({ signal }),
});

export const signIn = (body: { email: string; password: string }) => calls.sessionBegin({ body });
export const signUp = (body: {
  email: string;
  name: string;
  password: string;
  invitation?: string;
}) => calls.peopleSignUp({ body });
export const signOut = () => calls.sessionEnd();
export const acceptInvitation = (secret: string) => calls.invitationsAccept({ path: { secret } });
export const createTeam = (body: { name: string }) => calls.teamsCreate({ body });
export const renameTeam = (team_id: string, name: string) =>
  calls.teamsChange({ path: { team_id }, body: { name } });
export const deleteTeam = (team_id: string) => calls.teamsDelete({ path: { team_id } });
export const changeRole = (team_id: string, user_id: string, role: Role) =>
  calls.membersChange({ path: { team_id, user_id }, body: { role } });
export const removeMember = (team_id: string, user_id: string) =>
  calls.membersRemove({ path: { team_id, user_id } });
export const invite = (team_id: string, body: { email: string | null; role: Role }) =>
  calls.invitationsCreate({ path: { team_id }, body });
export const withdrawInvitation = (team_id: string, invitation_id: string) =>
  calls.invitationsWithdraw({ path: { team_id, invitation_id } });
export const createToken = (
  team_id: string,
  body: { name: string; scopes: TokenScope[]; expires_in_days: number | null },
) => calls.tokensCreate({ path: { team_id }, body });
export const revokeToken = (team_id: string, token_id: string) =>
  calls.tokensRevoke({ path: { team_id, token_id } });
export const changeName = (name: string) => calls.peopleChange({ body: { name } });
export const changePassword = (body: { current_password: string; new_password: string }) =>
  calls.peopleChangePassword({ body });
export const endBrowser = (session_id: string) => calls.sessionsEnd({ path: { session_id } });
export const endOtherBrowsers = () => calls.sessionsEndAll({ query: { others_only: true } });
