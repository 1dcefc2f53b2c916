import { infiniteQueryOptions } from '@tanstack/react-query';
import { calls } from '../../../api';
import type { ActivitySearch } from './activity-url';

export const activityQuery = ({ kind, service, by }: ActivitySearch) =>
  infiniteQueryOptions({
    queryKey: ['activity', 'list', { kind, service, by }],
    queryFn: ({ pageParam, signal }) =>
      calls.activityList({
        query: {
          kind: kind ? [kind] : undefined,
          service_id: service,
          actor: by,
          cursor: pageParam,
          limit: 100,
        },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  });
