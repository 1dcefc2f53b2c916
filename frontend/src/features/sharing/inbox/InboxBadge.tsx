import { queryOptions, useQuery } from '@tanstack/react-query';
import { calls } from '../../../api';
import classes from './InboxBadge.module.css';

const inboxCountsQuery = queryOptions({
  queryKey: ['inbox', 'counts'],
  queryFn: async ({ signal }) => (await calls.inboxList({ query: { limit: 1 }, signal })).counts,
});

/** The number of open items without an assignee, beside the name of the inbox; nothing while there is none. */
export function InboxBadge() {
  const unassigned = useQuery(inboxCountsQuery).data?.unassigned ?? 0;
  if (unassigned === 0) return null;
  return (
    <span className={classes.badge}>
      {unassigned > 99 ? '99+' : unassigned} <span className="unseen">unassigned</span>
    </span>
  );
}
