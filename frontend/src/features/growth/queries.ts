import { queryOptions } from '@tanstack/react-query';
import { calls } from '../../api';
import { readGrowth } from './types';

export const growthQuery = (comparison_id: string) =>
  queryOptions({
    queryKey: ['bytes', 'growth', comparison_id],
    queryFn: async ({ signal }) =>
      readGrowth(await calls.comparisonsPart({ path: { comparison_id, part: 'growth' }, signal })),
    staleTime: Infinity,
    gcTime: 10 * 60_000,
  });
