import { queryOptions } from '@tanstack/react-query';
import { calls } from '../../../api';
import { readGrowth, withoutSide } from './growth-types';

export const growthQuery = (comparison_id: string) =>
  queryOptions({
    queryKey: ['bytes', 'growth', comparison_id],
    queryFn: async ({ signal }) =>
      readGrowth(
        await calls.comparisonsResult({ path: { comparison_id, part: 'growth' }, signal }),
      ),
    staleTime: Infinity,
    gcTime: 10 * 60_000,
  });

/** The most logs that the API accepts in one table. */
export const MAX_GROWTH_LOGS = 50;

/** Loads a row for each set of growth logs, the oldest first: the others are compared with it. */
export const growthLogSetsListQuery = () =>
  queryOptions({
    queryKey: ['artifact', 'growth-sets'],
    queryFn: async ({ signal }) => {
      const logs = await calls.artifactsList({
        query: { kind: 'growth', state: ['decoded'], limit: MAX_GROWTH_LOGS },
        signal,
      });
      if (logs.items.length === 0) return { sets: [], more: false };
      const artifact_id = logs.items.map(({ id }) => id).reverse();
      const sets = (await calls.growthLogSetsList({ query: { artifact_id }, signal })).map(
        withoutSide,
      );
      return { sets, more: logs.next_cursor !== null };
    },
  });
