import { queryOptions } from '@tanstack/react-query';
import { calls } from '../../../api';
import { pagedList } from '../../../ui';
import type { ListSearch } from '../../../lib/list-search';
import { shortCommit } from '../../../lib/commits';

export type DeploymentsSearch = ListSearch & {
  service?: string | undefined;
  environment?: string | undefined;
};

export const servicesQuery = queryOptions({
  queryKey: ['service', 'list'],
  queryFn: ({ signal }) => calls.servicesList({ query: { limit: 200 }, signal }),
});

export const serviceQuery = (service_id: string) =>
  queryOptions({
    queryKey: ['service', 'one', service_id],
    queryFn: ({ signal }) => calls.servicesGet({ path: { service_id }, signal }),
  });

export const environmentsQuery = queryOptions({
  queryKey: ['environment', 'list'],
  queryFn: ({ signal }) => calls.environmentsList({ query: { limit: 200 }, signal }),
});

export const buildsQuery = (wanted: { service_id?: string; search?: string }) =>
  pagedList(['build', 'list', wanted], (cursor, signal) =>
    calls.buildsList({ query: { ...wanted, cursor, limit: 100 }, signal }),
  );

export const deploymentsQuery = ({ q, service, environment }: DeploymentsSearch) =>
  pagedList(['deployment', 'list', { q, service, environment }], (cursor, signal) =>
    calls.deploymentsList({
      query: {
        search: q,
        service_id: service,
        environment_id: environment,
        cursor,
        limit: 100,
      },
      signal,
    }),
  );

/** The newest build of a service, or of the team; an empty list before the first upload. */
export const newestBuildQuery = (service_id?: string) =>
  queryOptions({
    queryKey: ['build', 'newest', service_id],
    queryFn: ({ signal }) => calls.buildsList({ query: { service_id, limit: 1 }, signal }),
  });

export const buildQuery = (build_id: string) =>
  queryOptions({
    queryKey: ['build', 'one', build_id],
    queryFn: ({ signal }) => calls.buildsGet({ path: { build_id }, signal }),
  });

export type ServiceFields = { name: string; description: string; main_package: string | null };
export const createService = (body: ServiceFields) => calls.servicesCreate({ body });
export const updateService = (service_id: string, body: ServiceFields) =>
  calls.servicesUpdate({ path: { service_id }, body });
export const deleteService = (service_id: string) => calls.servicesDelete({ path: { service_id } });
export const createEnvironment = (name: string) => calls.environmentsCreate({ body: { name } });
export const updateEnvironment = (environment_id: string, name: string) =>
  calls.environmentsUpdate({ path: { environment_id }, body: { name } });
export const deleteEnvironment = (environment_id: string) =>
  calls.environmentsDelete({ path: { environment_id } });
export type BuildFields = {
  commit: string;
  go_version: string;
  goos: string;
  goarch: string;
  flags: string;
  branch: string | null;
  label: string | null;
};
export const createBuild = (service_id: string, words: BuildFields) =>
  calls.buildsCreate({ body: { service_id, ...words } });
export const updateBuild = (
  build_id: string,
  body: { branch: string | null; label: string | null },
) => calls.buildsUpdate({ path: { build_id }, body });
export const deleteBuild = (build_id: string) => calls.buildsDelete({ path: { build_id } });

/** The newest builds of all services, as choices of a field: "ingester 9c41e0a, go1.26.3". */
export const buildChoicesQuery = queryOptions({
  queryKey: ['build', 'choices'],
  queryFn: async ({ signal }) => {
    const [services, builds] = await Promise.all([
      calls.servicesList({ query: { limit: 200 }, signal }),
      calls.buildsList({ query: { limit: 200 }, signal }),
    ]);
    const names = new Map(services.items.map(({ id, name }) => [id, name]));
    return builds.items.map((build) => ({
      value: build.id,
      label: `${names.get(build.service_id) ?? '?'} ${shortCommit(build.commit)}${build.go_version ? `, ${build.go_version}` : ''}`,
    }));
  },
});
