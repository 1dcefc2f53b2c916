import { queryOptions, infiniteQueryOptions } from '@tanstack/react-query';
import {
  http,
  type AuditEvent,
  type Invitation,
  type InvitationPreview,
  type Member,
  type Page,
  type Role,
  type Session,
  type Team,
  type Token,
} from '../../api';

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => http.get<Session>('/session', { signal }),
  staleTime: 60_000,
  retry: false,
});

export const invitationQuery = (secret: string) =>
  queryOptions({
    queryKey: ['invitation', secret],
    queryFn: ({ signal }) => http.get<InvitationPreview>(`/invitations/${encodeURIComponent(secret)}`, { signal }),
    retry: false,
  });

export const membersQuery = (teamId: string) =>
  queryOptions({
    queryKey: ['members', teamId],
    queryFn: ({ signal }) => http.get<Page<Member>>(`/teams/${teamId}/members`, { query: { limit: 200 }, signal }),
  });

export const invitationsQuery = (teamId: string) =>
  queryOptions({
    queryKey: ['invitations', teamId],
    queryFn: ({ signal }) => http.get<Page<Invitation>>(`/teams/${teamId}/invitations`, { signal }),
  });

export const tokensQuery = (teamId: string) =>
  queryOptions({
    queryKey: ['tokens', teamId],
    queryFn: ({ signal }) => http.get<Page<Token>>(`/teams/${teamId}/tokens`, { signal }),
  });

export const auditQuery = (teamId: string) =>
  infiniteQueryOptions({
    queryKey: ['audit', teamId],
    queryFn: ({ pageParam, signal }) =>
      http.get<Page<AuditEvent>>(`/teams/${teamId}/audit-events`, { query: { cursor: pageParam, limit: 100 }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  });

export const signIn = (sent: { email: string; password: string }) => http.post<Session>('/session', sent);
export const signUp = (sent: { email: string; name: string; password: string }) => http.post<Session>('/sign-up', sent);
export const signOut = () => http.delete('/session');
export const acceptInvitation = (secret: string) => http.post<Team>(`/invitations/${encodeURIComponent(secret)}/accept`);
export const createTeam = (sent: { name: string }) => http.post<Team>('/teams', sent);
export const renameTeam = (teamId: string, sent: { name: string }) => http.patch<Team>(`/teams/${teamId}`, sent);
export const deleteTeam = (teamId: string) => http.delete(`/teams/${teamId}`);
export const changeRole = (teamId: string, userId: string, role: Role) =>
  http.patch<Member>(`/teams/${teamId}/members/${userId}`, { role });
export const removeMember = (teamId: string, userId: string) => http.delete(`/teams/${teamId}/members/${userId}`);
export const invite = (teamId: string, sent: { email: string | null; role: Role }) =>
  http.post<Invitation>(`/teams/${teamId}/invitations`, sent);
export const withdrawInvitation = (teamId: string, id: string) => http.delete(`/teams/${teamId}/invitations/${id}`);
export const createToken = (teamId: string, sent: { name: string; scopes: string[]; expires_in_days: number | null }) =>
  http.post<Token>(`/teams/${teamId}/tokens`, sent);
export const revokeToken = (teamId: string, id: string) => http.delete(`/teams/${teamId}/tokens/${id}`);
