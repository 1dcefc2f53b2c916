/** Notifications of a channel, newest first, with their delivery state. */
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Channel, ChannelMessage } from '../../../api';
import {
  RowLine,
  RowList,
  RowText,
  ErrorState,
  SkeletonRows,
  StateIcon,
  Timestamp,
  countOf,
  describeError,
} from '../../../ui';
import { notificationsQuery, redeliverNotification } from './notification-queries';
import { NOTIFICATION_STATES } from './notification-wording';

export function NotificationList({ channel, mayManage }: { channel: Channel; mayManage: boolean }) {
  const messages = useInfiniteQuery(notificationsQuery(channel.id));
  if (messages.isPending) return <SkeletonRows rows={2} />;
  if (messages.error) return <ErrorState compact error={messages.error} />;
  const items = messages.data.pages.flatMap((page) => page.items);
  if (items.length === 0) return <p className="muted">No notifications sent yet.</p>;
  return (
    <>
      <RowList label={`Notifications of ${channel.name}`}>
        {items.map((message) => (
          <MessageLine
            key={message.id}
            message={message}
            mayRepeat={mayManage && channel.state === 'on' && message.state !== 'waiting'}
          />
        ))}
      </RowList>
      {messages.hasNextPage && (
        <button
          type="button"
          className="link"
          disabled={messages.isFetchingNextPage}
          onClick={() => void messages.fetchNextPage()}
        >
          Load older notifications
        </button>
      )}
    </>
  );
}

function MessageLine({ message, mayRepeat }: { message: ChannelMessage; mayRepeat: boolean }) {
  const client = useQueryClient();
  const again = useMutation({
    mutationFn: () => redeliverNotification(message.id),
    onSettled: () => client.invalidateQueries({ queryKey: ['notification'] }),
  });
  const [glyph, word] = NOTIFICATION_STATES[message.state];
  return (
    <li>
      <RowLine>
        <StateIcon glyph={glyph}>{word}</StateIcon>
        <RowText>{message.sentence}</RowText>
        <span className="muted">
          <Timestamp at={message.sent_at ?? message.created_at} />
          {message.failures > 0 && ` · ${countOf(message.failures, 'failure')}`}
          {message.next_attempt_at && (
            <>
              {' · retrying '}
              <Timestamp at={message.next_attempt_at} exact />
            </>
          )}
        </span>
        {message.problem && (
          <span className="err">
            {describeError(Object.assign(new Error(), { facts: message.problem })).detail}
          </span>
        )}
        {mayRepeat && (
          <button
            type="button"
            className="link"
            disabled={again.isPending}
            onClick={() => again.mutate()}
          >
            Resend
          </button>
        )}
        {again.error && <ErrorState compact error={again.error} />}
      </RowLine>
    </li>
  );
}
