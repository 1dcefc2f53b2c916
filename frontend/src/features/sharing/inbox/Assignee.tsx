import type { InboxItem } from '../../../api';
import { PersonName } from '../../../ui';
import classes from './inbox.module.css';

/** The assignee of an item; "Unassigned" is highlighted while the item is open. */
export function Assignee({ item }: { item: InboxItem }) {
  const { assignee, closed } = item;
  return (
    <span className={classes.assignee}>
      {assignee !== null ? (
        <PersonName name={assignee.name ?? 'former member'} />
      ) : closed === null ? (
        <span className="more">Unassigned</span>
      ) : (
        <span className="muted">–</span>
      )}
    </span>
  );
}
