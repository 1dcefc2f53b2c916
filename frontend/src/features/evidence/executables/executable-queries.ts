import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { calls, type Assembly } from '../../../api';

export type FunctionOrder = 'frame' | 'size' | 'inlined';

export const functionsQuery = (artifact_id: string, name: string, order: FunctionOrder) =>
  infiniteQueryOptions({
    queryKey: ['artifact', 'functions', artifact_id, name, order],
    queryFn: ({ pageParam: offset, signal }) =>
      calls.executablesListFunctions({
        path: { artifact_id },
        query: { name, order, offset },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => {
      const shown = pages.reduce((sum, { functions }) => sum + functions.length, 0);
      return last.functions.length > 0 && shown < last.matched ? shown : null;
    },
    placeholderData: keepPreviousData,
    staleTime: Infinity,
  });

/** Selects the executables: those of both sides of a comparison, or one. */
export type AssemblyOf = { comparison_id: string } | { artifact_id: string };

/** A repeated request returns the same assembly, so that it can be polled by requesting it. */
export const assemblyQuery = (of: AssemblyOf, name: string) =>
  queryOptions({
    queryKey: ['assembly', of, name],
    queryFn: ({ signal }): Promise<Assembly> =>
      'comparison_id' in of
        ? calls.comparisonsCreateAssembly({ path: of, body: { function: name }, signal })
        : calls.executablesCreateAssembly({ path: of, body: { function: name }, signal }),
    staleTime: Infinity,
    retry: false,
  });

export const isOpen = (one: Pick<Assembly, 'state'> | undefined): boolean =>
  one?.state === 'waiting' || one?.state === 'running';
