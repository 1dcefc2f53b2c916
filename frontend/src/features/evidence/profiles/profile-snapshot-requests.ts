/**
 * Requests for everything that can be opened on the page of a profile set, for its snapshot; the
 * most viewed first.
 */
import type { QueryClient } from '@tanstack/react-query';
import { profileSetQuery } from './profile-queries';

export function profileSnapshotRequests(client: QueryClient, setId: string): string[] {
  const set = client.getQueryData(profileSetQuery(setId).queryKey);
  const views = (set?.views ?? []).filter(({ state }) => state === 'done');
  const parts = (part: string) =>
    views.map(({ id }) => `/profile-sets/${setId}/views/${id}${part}`);
  return [
    `/profile-sets/${setId}`,
    ...parts(''),
    ...parts('/summary'),
    ...parts('/chunks/first'),
    ...parts('/chunks/functions'),
    ...parts('/chunks/rest'),
  ];
}
