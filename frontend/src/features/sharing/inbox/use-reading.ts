/** Marks items as read or unread for the current user. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { InboxItem, InboxItemRef } from '../../../api';
import { markItems } from './inbox-queries';

type Reading = {
  error: Error | null;
  mark: (items: readonly InboxItemRef[], isRead: boolean) => void;
  /** Marks the items as read, or as unread if all of them are read. */
  toggle: (items: readonly InboxItem[]) => void;
};

export function useReading(): Reading {
  const client = useQueryClient();
  const { error, mutate } = useMutation({
    mutationFn: markItems,
    onSettled: () => client.invalidateQueries({ queryKey: ['inbox'] }),
  });
  const mark = (items: readonly InboxItemRef[], is_read: boolean) => {
    if (items.length > 0) mutate({ items: items.map(({ kind, id }) => ({ kind, id })), is_read });
  };
  return {
    error,
    mark,
    toggle: (items) => {
      const unread = items.filter(({ is_unread }) => is_unread);
      mark(unread.length > 0 ? unread : items, unread.length > 0);
    },
  };
}
