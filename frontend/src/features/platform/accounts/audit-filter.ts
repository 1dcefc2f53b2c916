/** Filters and queries of a team's audit log. */
import { infiniteQueryOptions } from '@tanstack/react-query';
import { startOfDay } from '../../../lib/wall-times';
import { calls, openUrl } from '../../../api';

/** The values of the fields. Days are whole days in the time zone of the user. */
export type AuditFilter = { actor?: string; action?: string; since?: string; until?: string };

/** Returns the query parameters: days are converted to times, empty fields are left out. */
function asked(wanted: AuditFilter): Record<string, string> {
  const filled: Record<string, string> = {};
  if (wanted.actor?.trim()) filled.actor = wanted.actor.trim();
  if (wanted.action?.trim()) filled.action = wanted.action.trim();
  if (wanted.since) filled.since = new Date(startOfDay(wanted.since)).toISOString();
  if (wanted.until) filled.until = new Date(startOfDay(wanted.until, 1)).toISOString();
  return filled;
}

export const auditQuery = (team_id: string, wanted: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ['audit', team_id, asked(wanted)],
    queryFn: ({ pageParam, signal }) =>
      calls.auditEventsList({
        path: { team_id },
        query: { ...asked(wanted), cursor: pageParam, limit: 100 },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  });

export const auditAddress = (team_id: string, wanted: AuditFilter, form: 'csv' | 'json'): string =>
  openUrl(`/teams/${team_id}/audit-events/export`, { ...asked(wanted), form });
