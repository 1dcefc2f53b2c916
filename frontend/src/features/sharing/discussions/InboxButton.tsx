/**
 * The inbox button of the top bar: the number of unread mentions of the user, and a popover with
 * them.
 */
import { useQuery } from '@tanstack/react-query';
import { lazy } from 'react';
import { LazyPopover } from '../../../ui';
import classes from './discussions.module.css';
import { unreadQuery } from './discussion-queries';

const InboxPopover = lazy(() => import('./InboxPopover'));

/** `onOpen` is called with a path below the team's. */
export function InboxButton({ onOpen }: { onOpen: (path: string) => void }) {
  const { data } = useQuery(unreadQuery);
  const unread = data?.unread ?? 0;
  return (
    <LazyPopover
      button={(onPress) => (
        <button
          type="button"
          className={classes.bell}
          data-unread={unread > 0 || undefined}
          aria-label={unread > 0 ? `Mentions, ${unread} unread` : 'Mentions'}
          aria-expanded={false}
          title="Mentions"
          onClick={onPress}
        >
          @{unread > 0 && <b>{unread > 99 ? '99+' : unread}</b>}
        </button>
      )}
    >
      <InboxPopover onOpen={onOpen} />
    </LazyPopover>
  );
}
