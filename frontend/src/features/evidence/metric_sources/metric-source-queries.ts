/** Queries of sources, connection checks and imports. An import is a job. */
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import {
  calls,
  type Job,
  type MetricSourceChange,
  type MetricSourceWords,
  type ReadThroughWords,
} from '../../../api';
import { activeJobsQuery, usePollWhile } from '../../platform/jobs';

/** More sources than a team may have. */
const MOST = 100;

/** The first part of the key is what events of jobs name as their subject. */
export const sourcesQuery = queryOptions({
  queryKey: ['metric_source', 'list'],
  queryFn: ({ signal }) => calls.metricSourcesList({ query: { limit: MOST }, signal }),
});

export const sourceCheckKey = (source_id: string) => ['metric-source-check', source_id] as const;

/**
 * The result of the last connection check. A check runs only on request; its result is cached while
 * the page is open.
 */
export const sourceCheckQuery = (source_id: string) =>
  queryOptions({
    queryKey: sourceCheckKey(source_id),
    queryFn: ({ signal }) => calls.metricSourcesCheck({ path: { source_id }, signal }),
    enabled: false,
    retry: false,
    staleTime: Infinity,
    gcTime: Infinity,
  });

export const createSource = (body: MetricSourceWords) => calls.metricSourcesCreate({ body });
export const updateSource = (source_id: string, body: MetricSourceChange) =>
  calls.metricSourcesUpdate({ path: { source_id }, body });
export const deleteSource = (source_id: string) =>
  calls.metricSourcesDelete({ path: { source_id } });
export const importHistory = (source_id: string, body: { from: string; to: string }) =>
  calls.metricSourcesImport({ path: { source_id }, body });

/**
 * The services and environments of the catalog, as options. Their keys are those of the catalog, so
 * they share its cache.
 */
export const servicesQuery = queryOptions({
  queryKey: ['service', 'list'],
  queryFn: ({ signal }) => calls.servicesList({ query: { limit: 200 }, signal }),
});
export const environmentsQuery = queryOptions({
  queryKey: ['environment', 'list'],
  queryFn: ({ signal }) => calls.environmentsList({ query: { limit: 200 }, signal }),
});

export const federatedServicesKey = (source_id: string) =>
  ['metric_source', source_id, 'services'] as const;

/** Loads the federated services of a source. */
export const federatedServicesQuery = (source_id: string) =>
  queryOptions({
    queryKey: federatedServicesKey(source_id),
    queryFn: ({ signal }) =>
      calls.federatedServicesList({ path: { source_id }, query: { limit: MOST }, signal }),
  });
export const createFederatedService = (source_id: string, body: ReadThroughWords) =>
  calls.federatedServicesCreate({ path: { source_id }, body });
export const deleteFederatedService = (source_id: string, federated_service_id: string) =>
  calls.federatedServicesDelete({ path: { source_id, federated_service_id } });

const NONE: Job[] = [];
const importsOf = (jobs: Job[]): Job[] =>
  jobs.filter(({ subject }) => subject.kind === 'metric_source');

/** Returns the imports that have not ended. When one ends, the sources are refetched. */
export function useImports(): Job[] {
  const client = useQueryClient();
  const pollWhile = usePollWhile();
  const jobs = useQuery({
    ...activeJobsQuery,
    refetchInterval: ({ state }) => pollWhile(importsOf(state.data?.items ?? NONE).length > 0),
  });
  const going = jobs.data ? importsOf(jobs.data.items) : NONE;
  const ids = going.map(({ id }) => id).join();
  const before = useRef('');
  useEffect(() => {
    if (before.current !== ids && before.current !== '')
      void client.invalidateQueries({ queryKey: ['metric_source'] });
    before.current = ids;
  }, [client, ids]);
  return going;
}
