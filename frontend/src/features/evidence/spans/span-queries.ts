import { queryOptions } from '@tanstack/react-query';
import { calls } from '../../../api';
import { readSet, readSets, readTrace } from './span-types';
import { usualDescending, type TracesView } from './span-url';

/** Decoded and compared spans never change; they are cached for 10 minutes after use. */
const cachedTraces = { staleTime: Infinity, gcTime: 10 * 60_000 } as const;

export const spansPartQuery = (comparison_id: string) =>
  queryOptions({
    queryKey: ['bytes', 'spans', 'comparison', comparison_id],
    queryFn: async ({ signal }) =>
      readSets(await calls.comparisonsResult({ path: { comparison_id, part: 'spans' }, signal })),
    ...cachedTraces,
  });

export const spanSetQuery = (artifact_id: string) =>
  queryOptions({
    queryKey: ['bytes', 'spans', 'set', artifact_id],
    queryFn: async ({ signal }) =>
      readSet(await calls.spanSetsGet({ path: { artifact_id }, signal }), artifact_id),
    ...cachedTraces,
  });

export const TRACES_A_PAGE = 50;
type Listed = NonNullable<Awaited<ReturnType<typeof calls.spanSetsTraces>>>;
export type TraceOfSet = Listed['items'][number];

/** Loads one page of the list of all traces of a set. */
export const allTracesQuery = (artifact_id: string, view: TracesView) =>
  queryOptions({
    queryKey: ['bytes', 'spans', 'traces', artifact_id, view],
    queryFn: async ({ signal }) =>
      calls.spanSetsTraces({
        path: { artifact_id },
        query: {
          order: view.order,
          reverse: view.descending !== usualDescending(view.order),
          search: view.words,
          errors: view.errors,
          limit: TRACES_A_PAGE,
          offset: view.page * TRACES_A_PAGE,
        },
        signal,
      }),
    ...cachedTraces,
  });

export const waterfallQuery = (artifact_id: string, trace_id: string) =>
  queryOptions({
    queryKey: ['bytes', 'spans', 'trace', artifact_id, trace_id],
    queryFn: async ({ signal }) =>
      readTrace(await calls.spanSetsTrace({ path: { artifact_id, trace_id }, signal })),
    ...cachedTraces,
  });

/** Loads the name of the artifact; the page of its spans works without it. */
export const nameQuery = (artifact_id: string) =>
  queryOptions({
    queryKey: ['artifact', 'name', artifact_id],
    queryFn: async ({ signal }) =>
      (await calls.artifactsGet({ path: { artifact_id }, signal })).name,
  });

export const environmentsOfMapQuery = queryOptions({
  queryKey: ['environment', 'of map'],
  queryFn: async ({ signal }) =>
    (await calls.environmentsList({ query: { limit: 200 }, signal })).items,
});

export const serviceOrderQuery = (environment_id: string) =>
  queryOptions({
    queryKey: ['environment', 'order', environment_id],
    queryFn: ({ signal }) => calls.serviceOrderGet({ path: { environment_id }, signal }),
  });
