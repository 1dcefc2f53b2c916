import { queryOptions, useQuery } from '@tanstack/react-query';
import { calls } from '../../../api';
import classes from './InboxBadge.module.css';

const inboxCountsQuery = queryOptions({
  queryKey: ['inbox', 'counts'],
  queryFn: async ({ signal }) => (await calls.inboxList({ query: { limit: 1 }, signal })).counts,
  // Production events are in no event of the stream.
  refetchInterval: 60_000,
});

/** The number of open items that the person has not read, beside the name of the inbox; nothing while there is none. */
export function InboxBadge() {
  const unread = useQuery(inboxCountsQuery).data?.unread ?? 0;
  if (unread === 0) return null;
  return (
    <span className={classes.badge}>
      {unread > 99 ? '99+' : unread} <span className="unseen">unread</span>
    </span>
  );
}
