/** The popover of the inbox button: comments that mention the user. */
import { Popover } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useFirstOpen } from '../../../ui';
import List from './InboxList';
import classes from './discussions.module.css';
import { unreadQuery } from './discussion-queries';

/** `onOpen` is called with a path below the team's. */
export default function InboxPopover({ onOpen }: { onOpen: (path: string) => void }) {
  const button = useFirstOpen();
  const [opened, setOpened] = useState(false);
  const { data } = useQuery(unreadQuery);
  const unread = data?.unread ?? 0;
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position="bottom-end"
      hideDetached={false}
      trapFocus
    >
      <Popover.Target>
        <button
          ref={button}
          type="button"
          className={classes.bell}
          data-unread={unread > 0 || undefined}
          aria-label={unread > 0 ? `Mentions, ${unread} unread` : 'Mentions'}
          aria-expanded={opened}
          title="Mentions"
          onClick={() => setOpened(!opened)}
        >
          @{unread > 0 && <b>{unread > 99 ? '99+' : unread}</b>}
        </button>
      </Popover.Target>
      <Popover.Dropdown p={4}>
        {opened && (
          <div tabIndex={-1} data-autofocus className={classes.inboxPlace}>
            <List
              unread={unread}
              onOpen={(path) => {
                setOpened(false);
                onOpen(path);
              }}
            />
          </div>
        )}
      </Popover.Dropdown>
    </Popover>
  );
}
