/** Queries of the sources of sides, what they contain, and what their comparison could conclude. */
import { queryOptions, type QueryKey } from '@tanstack/react-query';
import { calls, type SideSource, type SourceMatches } from '../../../api';
import { isCompared } from '../../evidence/artifacts';
import type { SideName } from './side-choice';

/** The maximum number of listed matches; a longer text has fewer. */
export const LISTED = 6;

export type SearchedType = SourceMatches['items'][number]['source']['type'] &
  ('build' | 'ref' | 'deployment');

/** Shows the previous matches until new ones of the same type arrive. */
const sameType =
  (type: string) =>
  <T>(previous: T | undefined, query: { queryKey: QueryKey } | undefined): T | undefined =>
    query?.queryKey[1] === type ? previous : undefined;

export const sourceMatchesQuery = (type: SearchedType, service_id: string, q: string) =>
  queryOptions({
    queryKey: ['comparison-source', type, service_id, q],
    queryFn: ({ signal }) =>
      calls.comparisonSourcesList({
        query: { type, service_id: service_id || undefined, q: q || undefined, limit: LISTED },
        signal,
      }),
    placeholderData: sameType(type),
  });

export const artifactMatchesQuery = (name: string, profilesOnly: boolean) =>
  queryOptions({
    queryKey: ['artifact', `side-${profilesOnly ? 'profiles' : 'all'}`, name],
    queryFn: async ({ signal }) => {
      const found = await calls.artifactsList({
        query: { name: name || undefined, limit: profilesOnly ? 50 : LISTED },
        signal,
      });
      const items = profilesOnly
        ? found.items.filter(({ kind }) => kind?.startsWith('profile.') ?? false)
        : found.items;
      return {
        items: items.slice(0, LISTED),
        has_more: found.next_cursor !== null || items.length > LISTED,
      };
    },
    placeholderData: sameType(`side-${profilesOnly ? 'profiles' : 'all'}`),
  });

/** Query of what one side contains; it does not depend on the other. */
export const sidePreviewQuery = (side: SideName, source: SideSource | null) =>
  queryOptions({
    queryKey: ['comparison-preview', source],
    enabled: source !== null,
    queryFn: async ({ signal }) => {
      const preview = await calls.comparisonPreviewsCreate({ body: { [side]: source }, signal });
      return preview[side];
    },
  });

/** Query of what the comparison of both sides could conclude. */
export const conclusionsQuery = (base: SideSource | null, candidate: SideSource | null) =>
  queryOptions({
    queryKey: ['comparison-preview', 'both', base, candidate],
    enabled: base !== null && candidate !== null,
    queryFn: ({ signal }) => calls.comparisonPreviewsCreate({ body: { base, candidate }, signal }),
    placeholderData: (previous) => (base !== null && candidate !== null ? previous : undefined),
  });

export const suggestionsQuery = (service_id: string) =>
  queryOptions({
    queryKey: ['comparison-suggestion', service_id],
    queryFn: ({ signal }) =>
      calls.comparisonSuggestionsList({ query: { service_id: service_id || undefined }, signal }),
  });

export const startComparison = (base: SideSource, candidate: SideSource) =>
  calls.comparisonsCreate({ body: { base: { source: base }, candidate: { source: candidate } } });

/**
 * Splits the comparable artifacts of a build into two halves: every second one of each kind is on
 * the other side.
 */
export async function splitBuild(build_id: string): Promise<Record<SideName, SideSource>> {
  const { items } = await calls.artifactsList({
    query: { build_id, state: ['decoded'], limit: 200 },
  });
  const halves: Record<SideName, string[]> = { base: [], candidate: [] };
  const counts = new Map<string, number>();
  for (const { id, kind } of items) {
    if (kind === null || !isCompared(kind)) continue;
    const place = counts.get(kind) ?? 0;
    counts.set(kind, place + 1);
    halves[place % 2 === 0 ? 'base' : 'candidate'].push(id);
  }
  if (halves.candidate.length === 0)
    throw new Error('The build has one file of each kind: send another one to split them.');
  return {
    base: { type: 'artifacts', artifact_ids: halves.base },
    candidate: { type: 'artifacts', artifact_ids: halves.candidate },
  };
}
