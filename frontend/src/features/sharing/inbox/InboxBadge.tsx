import { queryOptions, useQuery } from '@tanstack/react-query';
import { calls } from '../../../api';
import classes from './InboxBadge.module.css';

const inboxCountsQuery = queryOptions({
  queryKey: ['inbox', 'counts'],
  queryFn: async ({ signal }) => (await calls.inboxList({ query: { limit: 1 }, signal })).counts,
  // The event stream has no events for production events.
  refetchInterval: 60_000,
});

/**
 * The number of open items that the user has not read, beside the name of the inbox. Hidden if
 * there are none.
 */
export function InboxBadge() {
  const unread = useQuery(inboxCountsQuery).data?.unread ?? 0;
  if (unread === 0) return null;
  return (
    <span className={classes.badge}>
      {unread > 99 ? '99+' : unread} <span className="unseen">unread</span>
    </span>
  );
}
