import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Mention } from '../../../api';
import { ErrorState, SkeletonRows, Timestamp } from '../../../ui';
import classes from './discussions.module.css';
import { inboxQuery, markMentionsRead } from './discussion-queries';

/**
 * Returns the path of a comment below the team's: of its page, with the comment as the fragment.
 */
const placeOf = ({ path, comment_id }: Mention): string => `${path}#comment-${comment_id}`;

export default function InboxList({
  unread,
  onOpen,
}: {
  unread: number;
  onOpen: (path: string) => void;
}) {
  const client = useQueryClient();
  const inbox = useInfiniteQuery(inboxQuery);
  const read = useMutation({
    mutationFn: markMentionsRead,
    onSettled: () => client.invalidateQueries({ queryKey: ['mention'] }),
  });
  const rows = inbox.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <div className={classes.inbox}>
      <p className={classes.inboxHead}>
        <b>Mentions</b>
        {unread > 0 && (
          <button
            type="button"
            className="link"
            disabled={read.isPending}
            onClick={() => read.mutate(null)}
          >
            Mark all as read
          </button>
        )}
      </p>
      {(inbox.error ?? read.error) && <ErrorState compact error={inbox.error ?? read.error} />}
      {inbox.isPending && <SkeletonRows rows={3} height={42} />}
      {inbox.data && rows.length === 0 && (
        <p className={`${classes.more} muted`}>No mentions yet.</p>
      )}
      <ol aria-label="Mentions">
        {rows.map((mention) => (
          <li key={mention.id}>
            <button
              type="button"
              className={classes.mention}
              data-unread={mention.read_at === null || undefined}
              onClick={() => {
                if (mention.read_at === null) read.mutate([mention.id]);
                onOpen(placeOf(mention));
              }}
            >
              <span>
                <b>{mention.author_name || 'Former member'}</b> on {mention.title}
                {mention.read_at === null && <small className="muted"> · unread</small>}
              </span>
              <span className="t2">{mention.text}</span>
              <span className="muted">
                <Timestamp at={mention.created_at} />
              </span>
            </button>
          </li>
        ))}
      </ol>
      {inbox.hasNextPage && (
        <p className={classes.more}>
          <button
            type="button"
            className="link"
            disabled={inbox.isFetchingNextPage}
            onClick={() => void inbox.fetchNextPage()}
          >
            Load older
          </button>
        </p>
      )}
    </div>
  );
}
