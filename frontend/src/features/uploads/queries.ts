import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { http, openAddress, type Artifact, type Facts, type Page } from '../../api';

export type Wanted = { name?: string; state?: string; kind?: string };

export const isUnderWay = (artifact: Pick<Artifact, 'state'>): boolean =>
  artifact.state === 'received' || artifact.state === 'decoding';

export const artifactsQuery = (wanted: Wanted) =>
  infiniteQueryOptions({
    queryKey: ['artifact', 'list', wanted],
    queryFn: ({ pageParam, signal }) =>
      http.get<Page<Artifact>>('/artifacts', { query: { ...wanted, cursor: pageParam, limit: 100 }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  });

export const artifactQuery = (id: string) =>
  queryOptions({
    queryKey: ['artifact', 'one', id],
    queryFn: ({ signal }) => http.get<Artifact>(`/artifacts/${id}`, { signal }),
  });

/** Everything that was dropped together. 200 is the API's largest page, and as many files as one drawer can show. */
export const batchQuery = (batch: string) =>
  queryOptions({
    queryKey: ['artifact', 'batch', batch],
    queryFn: ({ signal }) => http.get<Page<Artifact>>('/artifacts', { query: { batch, limit: 200 }, signal }),
  });

export const retryArtifact = (id: string) => http.post<Artifact>(`/artifacts/${id}/retry`);
export const deleteArtifact = (id: string) => http.delete(`/artifacts/${id}`);
export const changeFacts = (id: string, facts: Facts) => http.patch<Artifact>(`/artifacts/${id}`, { facts });
export const changeBuild = (id: string, build_id: string | null) => http.patch<Artifact>(`/artifacts/${id}`, { build_id });
export const originalAddress = (id: string) => openAddress(`/artifacts/${id}/original`);
