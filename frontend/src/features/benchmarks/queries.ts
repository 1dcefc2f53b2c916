import { queryOptions } from '@tanstack/react-query';
import { readJson } from '../../api';
import { readBenchmarks } from './types';

export const benchmarksQuery = (comparisonId: string) =>
  queryOptions({
    queryKey: ['bytes', 'benchmarks', comparisonId],
    queryFn: async ({ signal }) =>
      readBenchmarks(
        await readJson(`/comparisons/${encodeURIComponent(comparisonId)}/benchmarks`, signal),
      ),
    staleTime: Infinity,
    gcTime: 10 * 60_000,
  });
