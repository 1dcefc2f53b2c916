/** One channel: its destination, events, delivery state, and its notifications on request. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Channel } from '../../../api';
import {
  ErrorState,
  ListRow,
  RowAction,
  RowActions,
  RowLine,
  RowName,
  StateIcon,
  Timestamp,
} from '../../../ui';
import { NotificationList } from './NotificationList';
import classes from './notifications.module.css';
import { updateChannel, renewSecret, testChannel } from './notification-queries';
import { CHANNEL_STATES, KINDS, endText, eventsText, servicesText } from './notification-wording';

type RowProps = {
  channel: Channel;
  mayManage: boolean;
  onSecret: (secret: string) => void;
  onEdit: () => void;
  onDelete: () => void;
};

export function ChannelRow({ channel, mayManage, onSecret, onEdit, onDelete }: RowProps) {
  const client = useQueryClient();
  const [opened, setOpened] = useState(false);
  const reread = async () => {
    await client.invalidateQueries({ queryKey: ['notification_channel'] });
    await client.invalidateQueries({ queryKey: ['notification', channel.id] });
  };
  const isOn = channel.state === 'on';
  const turn = useMutation({
    mutationFn: () => updateChannel(channel.id, { state: isOn ? 'off' : 'on' }),
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
  const error = turn.error ?? trial.error ?? renew.error;
  const turned = isOn ? 'Turn off' : 'Turn on';
  return (
    <ListRow label={channel.name}>
      <RowLine>
        <StateIcon glyph={glyph}>{word}</StateIcon>
        <RowName>{channel.name}</RowName>
        <span className="muted">{KINDS[channel.kind]}</span>
        <span className={`mono ${classes.end}`}>{endText(channel)}</span>
        {mayManage && (
          <RowActions>
            <RowAction
              word="Test"
              label={`Test ${channel.name}`}
              loading={trial.isPending}
              blocked={isOn ? undefined : 'Turn it on first'}
              onClick={() => {
                trial.mutate();
              }}
            />
            <RowAction
              word={turned}
              label={`${turned} ${channel.name}`}
              loading={turn.isPending}
              onClick={() => {
                turn.mutate();
              }}
            />
            {channel.kind === 'webhook' && (
              <RowAction
                word="Renew secret"
                label={`Renew secret of ${channel.name}`}
                loading={renew.isPending}
                onClick={() => {
                  renew.mutate();
                }}
              />
            )}
            <RowAction word="Edit" label={`Edit ${channel.name}`} onClick={onEdit} />
            <RowAction word="Delete" label={`Delete ${channel.name}`} onClick={onDelete} />
          </RowActions>
        )}
      </RowLine>
      <RowLine>
        <span className="t2">
          events {eventsText(channel)}, of {servicesText(channel)}
        </span>
        {channel.sent_at && (
          <span className="muted">
            Last delivered <Timestamp at={channel.sent_at} />
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
          {opened ? 'Hide notifications' : 'Notifications'}
        </button>
      </RowLine>
      {channel.problem && (
        <ErrorState
          compact
          what={
            channel.state === 'disabled-after-failures'
              ? 'Notifications are stopped'
              : 'The last notification was not delivered'
          }
          error={Object.assign(new Error(), { facts: channel.problem })}
        />
      )}
      {error && <ErrorState compact error={error} />}
      {opened && <NotificationList channel={channel} mayManage={mayManage} />}
    </ListRow>
  );
}
