/** Queries of channels and their notifications. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { calls, type ChannelUpdate, type ChannelWords } from '../../../api';

/** More channels than a team may have. */
const MOST = 100;
const MESSAGES = 20;
const LOOK_MS = 2_000;

export const channelsQuery = queryOptions({
  queryKey: ['notification_channel', 'list'],
  queryFn: ({ signal }) => calls.notificationChannelsList({ query: { limit: MOST }, signal }),
});

/** Polled while a notification is pending, so that the duration of its attempts is current. */
export const notificationsQuery = (channel_id: string) =>
  infiniteQueryOptions({
    queryKey: ['notification', channel_id],
    queryFn: ({ pageParam, signal }) =>
      calls.notificationsList({
        path: { channel_id },
        query: { cursor: pageParam, limit: MESSAGES },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ items }) => items.some(({ state }) => state === 'waiting'))
        ? LOOK_MS
        : false,
  });

export const createChannel = (body: ChannelWords) => calls.notificationChannelsCreate({ body });
export const updateChannel = (channel_id: string, body: ChannelUpdate) =>
  calls.notificationChannelsUpdate({ path: { channel_id }, body });
export const deleteChannel = (channel_id: string) =>
  calls.notificationChannelsDelete({ path: { channel_id } });
export const renewSecret = (channel_id: string) =>
  calls.notificationChannelsRotateSecret({ path: { channel_id } });
export const testChannel = (channel_id: string) =>
  calls.notificationChannelsTest({ path: { channel_id } });
export const redeliverNotification = (notification_id: string) =>
  calls.notificationsRedeliver({ path: { notification_id } });

export type IssueSubject = { kind: 'production-event' | 'regression'; id: string };

/** Polled while the issue is being created. */
export const linkedIssueQuery = ({ kind, id }: IssueSubject) =>
  queryOptions({
    queryKey: ['linked_issue', kind, id],
    queryFn: ({ signal }) => calls.linkedIssuesGet({ path: { kind, incident_id: id }, signal }),
    refetchInterval: ({ state }) => (state.data?.state === 'creating' ? LOOK_MS : false),
  });

export const createLinkedIssue = ({ kind, id }: IssueSubject, channel_id: string) =>
  calls.linkedIssuesCreate({ path: { kind, incident_id: id }, body: { channel_id } });
