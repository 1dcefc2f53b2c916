import { useQuery } from '@tanstack/react-query';
import classes from './inbox.module.css';
import { inboxCountsQuery } from './inbox-queries';

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
