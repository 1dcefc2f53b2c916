import { queryOptions } from '@tanstack/react-query';
import { calls, openUrl, type Artifact, type Facts, type Page } from '../../../api';
import { pagedList } from '../../../ui';
import type { ArtifactsSearch } from './artifacts-url';

export const isUnderWay = (artifact: Pick<Artifact, 'state'>): boolean =>
  artifact.state === 'received' || artifact.state === 'decoding';

export const artifactsQuery = ({ q, state, kind }: ArtifactsSearch) =>
  pagedList(['artifact', 'list', { q, state, kind }], (cursor, signal) =>
    calls.artifactsList({
      query: { name: q, kind, state: state ? [state] : undefined, cursor, limit: 100 },
      signal,
    }),
  );

export const artifactQuery = (artifact_id: string) =>
  queryOptions({
    queryKey: ['artifact', 'one', artifact_id],
    queryFn: ({ signal }) => calls.artifactsGet({ path: { artifact_id }, signal }),
  });

/**
 * Loads all artifacts with one batch ID: one that is not loaded would stay in progress. 200 is the
 * API's largest page.
 */
export const batchQuery = (batch: string) =>
  queryOptions({
    queryKey: ['artifact', 'batch', batch],
    queryFn: async ({ signal }) => {
      const items: Artifact[] = [];
      let cursor: string | null = null;
      do {
        const page: Page<Artifact> = await calls.artifactsList({
          query: { batch, cursor, limit: 200 },
          signal,
        });
        items.push(...page.items);
        cursor = page.next_cursor;
      } while (cursor !== null);
      return items;
    },
  });

/** Loads artifacts of one build. 200 is the API's largest page; more would hardly add certainty. */
export const ofBuildQuery = (build_id: string) =>
  queryOptions({
    queryKey: ['artifact', 'of-build', build_id],
    queryFn: ({ signal }) => calls.artifactsList({ query: { build_id, limit: 200 }, signal }),
  });

export const retryArtifact = (artifact_id: string) =>
  calls.artifactsRetry({ path: { artifact_id } });
export const deleteArtifact = (artifact_id: string) =>
  calls.artifactsDelete({ path: { artifact_id } });
export const updateMetadata = (artifact_id: string, facts: Facts) =>
  calls.artifactsUpdate({ path: { artifact_id }, body: { run_metadata: facts } });
export const updateBuild = (artifact_id: string, build_id: string) =>
  calls.artifactsUpdate({ path: { artifact_id }, body: { build_id } });
export const originalAddress = (artifact_id: string) =>
  openUrl(`/artifacts/${artifact_id}/original`);
