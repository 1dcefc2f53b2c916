/**
 * The requests that a report records for a comparison: those of all that can be opened on its page,
 * most viewed first.
 */
import type { QueryClient } from '@tanstack/react-query';
import type { Comparison, ViewDescription } from '../../../api';
import { traceSnapshotRequests } from '../../evidence/exec_traces';
import { PROFILES, type ArtifactKind } from './shared/artifact-kinds';
import { comparisonQuery } from './shared/comparison-queries';

/** The maximum number of requests of lines, for functions that the findings name. */
const LINES_MOST = 60;

/** The requests that the sections of some kinds send in addition to their result. */
const MORE: Partial<Record<ArtifactKind, (client: QueryClient, id: string) => Promise<string[]>>> =
  { traces: traceSnapshotRequests };

const uniqueOf = (names: string[]): string[] => [...new Set(names)];

function linesOf({ id, result }: Comparison, views: ViewDescription[]): string[] {
  const named = (result?.findings ?? []).flatMap(
    ({ kind, subject, profile_kind, attributed_callers }) => {
      const functions = [
        ...(kind === 'profile.function' ? [subject] : []),
        ...attributed_callers.map((caller) => caller.function),
      ];
      return views
        .filter(
          (view) =>
            view.granularity === 'function' && (profile_kind === '' || view.kind === profile_kind),
        )
        .flatMap((view) =>
          functions.map((name) => {
            const query = new URLSearchParams({ function: name });
            return `/comparisons/${id}/views/${view.id}/lines?${query.toString()}`;
          }),
        );
    },
  );
  return uniqueOf(named).slice(0, LINES_MOST);
}

export async function comparisonSnapshotRequests(
  client: QueryClient,
  id: string,
): Promise<string[]> {
  const known = client.getQueryData(comparisonQuery(id).queryKey);
  if (!known) return [];
  const views = known.views.filter(({ state }) => state === 'done');
  const parts = known.artifact_kinds.filter((part) => part !== PROFILES);
  const ofViews = (part: string) =>
    views.map((view) => `/comparisons/${id}/views/${view.id}/chunks/${part}`);
  return [
    ...parts.map((part) => `/comparisons/${id}/results/${part}`),
    ...ofViews('first'),
    ...ofViews('functions'),
    ...linesOf(known, views),
    ...(
      await Promise.all(parts.map((part) => MORE[part]?.(client, id) ?? Promise.resolve([])))
    ).flat(),
    ...ofViews('rest'),
  ];
}
