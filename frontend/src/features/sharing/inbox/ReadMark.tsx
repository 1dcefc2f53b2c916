import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import type { InboxItemRef } from '../../../api';
import { inboxItemQuery } from './inbox-queries';
import { useReading } from './use-reading';

/** Marks the item of a page as read. Renders nothing. */
export default function ReadMark({ kind, id }: InboxItemRef) {
  const { mark } = useReading();
  const isUnread = useQuery(inboxItemQuery(kind, id)).data?.is_unread ?? false;
  const read = useEffectEvent(() => mark([{ kind, id }], true));
  useEffect(() => {
    if (isUnread) read();
  }, [isUnread, kind, id]);
  return null;
}
