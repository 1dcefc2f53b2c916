/** One channel: where it ends, what is told there, whether it arrives, and the messages when asked for. */
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Channel } from '../../api';
import { ErrorState, StateGlyph, Time } from '../../ui';
import { Messages } from './Messages';
import classes from './notifications.module.css';
import { changeChannel, renewSecret, testChannel } from './queries';
import { CHANNEL_STATES, KINDS, endText, eventsText, servicesText } from './wording';

type RowProps = {
  channel: Channel;
  mayManage: boolean;
  onSecret: (secret: string) => void;
  onDelete: () => void;
};

export function ChannelRow({ channel, mayManage, onSecret, onDelete }: RowProps) {
  const client = useQueryClient();
  const [opened, setOpened] = useState(false);
  const reread = async () => {
    await client.invalidateQueries({ queryKey: ['channel'] });
    await client.invalidateQueries({ queryKey: ['message', channel.id] });
  };
  const isOn = channel.state === 'on';
  const turn = useMutation({
    mutationFn: () => changeChannel(channel.id, { state: isOn ? 'off' : 'on' }),
    onSettled: reread,
  });
  const trial = useMutation({
    mutationFn: () => testChannel(channel.id),
    onSuccess: () => {
      setOpened(true);
    },
    onSettled: reread,
  });
  const renew = useMutation({
    mutationFn: () => renewSecret(channel.id),
    onSuccess: ({ secret }) => {
      if (secret) onSecret(secret);
    },
  });
  const [glyph, word] = CHANNEL_STATES[channel.state];
  const act = (text: string, onClick: () => void, loading = false, why?: string) => (
    <Button
      size="compact-xs"
      aria-label={`${text} ${channel.name}`}
      disabled={why !== undefined}
      title={why}
      loading={loading}
      onClick={onClick}
    >
      {text}
    </Button>
  );
  const error = turn.error ?? trial.error ?? renew.error;
  return (
    <li className={classes.row} aria-label={channel.name}>
      <div className={classes.line}>
        <StateGlyph glyph={glyph}>{word}</StateGlyph>
        <b className={classes.name}>{channel.name}</b>
        <span className="muted">{KINDS[channel.kind]}</span>
        <span className={`mono ${classes.end}`}>{endText(channel)}</span>
        <span className="grow" />
        <span className={classes.acts}>
          {mayManage && (
            <>
              {act(
                'Test',
                () => {
                  trial.mutate();
                },
                trial.isPending,
                isOn ? undefined : 'Turn it on first',
              )}
              {act(
                isOn ? 'Turn off' : 'Turn on',
                () => {
                  turn.mutate();
                },
                turn.isPending,
              )}
              {channel.kind === 'webhook' &&
                act(
                  'Renew secret of',
                  () => {
                    renew.mutate();
                  },
                  renew.isPending,
                )}
              {act('Delete', onDelete)}
            </>
          )}
        </span>
      </div>
      <div className={classes.line}>
        <span className="t2">
          told when {eventsText(channel)}, of {servicesText(channel)}
        </span>
        {channel.sent_at && (
          <span className="muted">
            last arrived <Time at={channel.sent_at} />
          </span>
        )}
        <button
          type="button"
          className="link"
          aria-expanded={opened}
          onClick={() => {
            setOpened(!opened);
          }}
        >
          {opened ? 'Hide messages' : 'Messages'}
        </button>
      </div>
      {channel.problem && (
        <ErrorState
          compact
          what={
            channel.state === 'dead'
              ? 'Nothing is sent there any more'
              : 'The last message did not arrive'
          }
          error={Object.assign(new Error(), { facts: channel.problem })}
        />
      )}
      {error && <ErrorState compact error={error} />}
      {opened && <Messages channel={channel} mayManage={mayManage} />}
    </li>
  );
}
