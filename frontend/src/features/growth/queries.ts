import { queryOptions } from '@tanstack/react-query';
import { readJson } from '../../api';
import { readGrowth } from './types';

export const growthQuery = (comparisonId: string) =>
  queryOptions({
    queryKey: ['bytes', 'growth', comparisonId],
    queryFn: async ({ signal }) =>
      readGrowth(await readJson(`/comparisons/${encodeURIComponent(comparisonId)}/growth`, signal)),
    staleTime: Infinity,
    gcTime: 10 * 60_000,
  });
