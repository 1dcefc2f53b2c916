import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { calls } from '../../../api';

export type FunctionOrder = 'frame' | 'size' | 'inlined';

export const functionsQuery = (artifact_id: string, name: string, order: FunctionOrder) =>
  queryOptions({
    queryKey: ['artifact', 'functions', artifact_id, name, order],
    queryFn: ({ signal }) =>
      calls.executablesListFunctions({ path: { artifact_id }, query: { name, order }, signal }),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
  });
