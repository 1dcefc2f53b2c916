/** What was told through a channel, newest first, and what became of it. */
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Channel, ChannelMessage } from '../../api';
import { RowLine, ErrorState, SkeletonRows, StateGlyph, Time, countOf, tellingOf } from '../../ui';
import classes from './notifications.module.css';
import { messagesQuery, tellAgain } from './queries';
import { MESSAGE_STATES } from './wording';

export function Messages({ channel, mayManage }: { channel: Channel; mayManage: boolean }) {
  const messages = useInfiniteQuery(messagesQuery(channel.id));
  if (messages.isPending) return <SkeletonRows rows={2} />;
  if (messages.error) return <ErrorState compact error={messages.error} />;
  const items = messages.data.pages.flatMap((page) => page.items);
  if (items.length === 0) return <p className="muted">Nothing has been told there yet.</p>;
  return (
    <>
      <ul className={classes.messages} aria-label={`Messages of ${channel.name}`}>
        {items.map((message) => (
          <MessageLine
            key={message.id}
            message={message}
            mayRepeat={mayManage && channel.state === 'on' && message.state !== 'waiting'}
          />
        ))}
      </ul>
      {messages.hasNextPage && (
        <button
          type="button"
          className="link"
          disabled={messages.isFetchingNextPage}
          onClick={() => void messages.fetchNextPage()}
        >
          Older messages
        </button>
      )}
    </>
  );
}

function MessageLine({ message, mayRepeat }: { message: ChannelMessage; mayRepeat: boolean }) {
  const client = useQueryClient();
  const again = useMutation({
    mutationFn: () => tellAgain(message.id),
    onSettled: () => client.invalidateQueries({ queryKey: ['message'] }),
  });
  const [glyph, word] = MESSAGE_STATES[message.state];
  return (
    <li>
      <RowLine>
        <StateGlyph glyph={glyph}>{word}</StateGlyph>
        <span className={classes.sentence}>{message.sentence}</span>
        <span className="muted">
          <Time at={message.sent_at ?? message.created_at} />
          {message.failures > 0 && ` · ${countOf(message.failures, 'failure')}`}
          {message.next_at && (
            <>
              {' · tried again '}
              <Time at={message.next_at} exact />
            </>
          )}
        </span>
        {message.problem && (
          <span className="err">
            {tellingOf(Object.assign(new Error(), { facts: message.problem })).detail}
          </span>
        )}
        {mayRepeat && (
          <button
            type="button"
            className="link"
            disabled={again.isPending}
            onClick={() => {
              again.mutate();
            }}
          >
            Send again
          </button>
        )}
        {again.error && <ErrorState compact error={again.error} />}
      </RowLine>
    </li>
  );
}
