import { queryOptions } from '@tanstack/react-query';
import { calls } from '../../../api';
import { readBenchmarks } from './benchmark-types';

export const benchmarksQuery = (comparison_id: string) =>
  queryOptions({
    queryKey: ['bytes', 'benchmarks', comparison_id],
    queryFn: async ({ signal }) =>
      readBenchmarks(
        await calls.comparisonsResult({ path: { comparison_id, part: 'benchmarks' }, signal }),
      ),
    staleTime: Infinity,
    gcTime: 10 * 60_000,
  });
