/** Items, counts, saved views and subscriptions. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { calls, type InboxActionIn } from '../../../api';
import { viewOf, type InboxSearch } from './inbox-url';

const PAGE = 100;

export const inboxQuery = (search: InboxSearch) =>
  infiniteQueryOptions({
    queryKey: ['inbox', 'list', search],
    queryFn: ({ pageParam, signal }) =>
      calls.inboxList({
        query: {
          view: viewOf(search),
          service_id: search.service,
          kind: search.kind,
          state: search.state,
          assignee_id: search.assignee,
          severity: search.severity,
          q: search.q,
          cursor: pageParam,
          limit: PAGE,
        },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: keepPreviousData,
  });

/** Counts alone, for the badge of the top bar. */
export const inboxCountsQuery = queryOptions({
  queryKey: ['inbox', 'counts'],
  queryFn: async ({ signal }) => (await calls.inboxList({ query: { limit: 1 }, signal })).counts,
});

export const inboxViewsQuery = queryOptions({
  queryKey: ['inbox', 'views'],
  queryFn: ({ signal }) => calls.inboxViewsList({ signal }),
});

export const actOnItems = (body: InboxActionIn) => calls.inboxAct({ body });

export type ViewFields = { name: string; filters: string; is_shared: boolean };
export const createView = (body: ViewFields) => calls.inboxViewsCreate({ body });
export const deleteView = (view_id: string) => calls.inboxViewsDelete({ path: { view_id } });

export const subscriptionQuery = (service_id: string) =>
  queryOptions({
    queryKey: ['service', 'subscription', service_id],
    queryFn: ({ signal }) => calls.subscriptionGet({ path: { service_id }, signal }),
  });
export const subscribe = (service_id: string) => calls.subscriptionSet({ path: { service_id } });
export const unsubscribe = (service_id: string) =>
  calls.subscriptionDelete({ path: { service_id } });

export type FixKind = 'commit' | 'build' | 'deployment';

type FixChoice = { value: string; label: string };

/** The newest builds or deployments of a service, as choices of a field. */
export const fixChoicesQuery = (service_id: string, kind: 'build' | 'deployment') =>
  queryOptions({
    queryKey: [kind, 'fix-choices', service_id],
    queryFn: async ({ signal }): Promise<FixChoice[]> => {
      const query = { service_id, limit: PAGE };
      if (kind === 'build') {
        const { items } = await calls.buildsList({ query, signal });
        return items.map(({ id, commit, label }) => ({
          value: id,
          label: `${commit.slice(0, 12)}${label ? `, ${label}` : ''}`,
        }));
      }
      const { items } = await calls.deploymentsList({ query, signal });
      return items.map(({ id, commit, deployed_at }) => ({
        value: id,
        label: `${commit?.slice(0, 12) ?? 'deployment'}, ${deployed_at}`,
      }));
    },
  });
