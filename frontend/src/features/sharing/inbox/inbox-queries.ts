/** Queries and mutations of items and saved views. */
import { queryOptions } from '@tanstack/react-query';
import {
  calls,
  type InboxActionIn,
  type InboxItem,
  type InboxReadingIn,
  type InboxViewIn,
} from '../../../api';
import { shortCommit } from '../../../lib/commits';
import { viewOf, type InboxSearch } from './inbox-url';
import { momentText } from '../../../lib/times';
import { pagedList } from '../../../ui';

const PAGE = 100;

export const inboxQuery = (search: InboxSearch) =>
  pagedList(['inbox', 'list', { ...search, sort: undefined }], (cursor, signal) =>
    calls.inboxList({
      query: {
        view: viewOf(search),
        service_id: search.service,
        kind: search.kind && [search.kind],
        state: search.state && [search.state],
        assignee_id: search.assignee,
        severity: search.severity && [search.severity],
        unread: search.reading === 'unread',
        q: search.q,
        cursor,
        limit: PAGE,
      },
      signal,
    }),
  );

export const inboxItemQuery = (kind: InboxItem['kind'], item_id: string) =>
  queryOptions({
    queryKey: ['inbox', 'one', kind, item_id],
    queryFn: ({ signal }) => calls.inboxGet({ path: { kind, item_id }, signal }),
    retry: false,
  });

export const inboxViewsQuery = queryOptions({
  queryKey: ['inbox', 'views'],
  queryFn: ({ signal }) => calls.inboxViewsList({ signal }),
});

/** Marks items as read or unread for the current user only. */
export const markItems = (body: InboxReadingIn) => calls.inboxMarkRead({ body });

export const actOnItems = (body: InboxActionIn) => calls.inboxAct({ body });

export const createView = (body: InboxViewIn) => calls.inboxViewsCreate({ body });
export const deleteView = (inbox_view_id: string) =>
  calls.inboxViewsDelete({ path: { inbox_view_id } });

export type FixKind = 'commit' | 'build' | 'deployment';

type FixChoice = { value: string; label: string };

/** Returns the newest builds or deployments of a service, as choices of a field. */
export const fixChoicesQuery = (service_id: string, kind: 'build' | 'deployment') =>
  queryOptions({
    queryKey: [kind, 'fix-choices', service_id],
    queryFn: async ({ signal }): Promise<FixChoice[]> => {
      const query = { service_id, limit: PAGE };
      if (kind === 'build') {
        const { items } = await calls.buildsList({ query, signal });
        return items.map(({ id, commit, title }) => ({
          value: id,
          label: `${shortCommit(commit)}${title ? `, ${title}` : ''}`,
        }));
      }
      const { items } = await calls.deploymentsList({ query, signal });
      return items.map(({ id, commit, label, started_at }) => ({
        value: id,
        label: `${shortCommit(commit) || (label ?? 'deployment')}, ${momentText(started_at)}`,
      }));
    },
  });
