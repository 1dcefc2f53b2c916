/** One channel: where it ends, what is told there, whether it arrives, and the messages when asked for. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Channel } from '../../api';
import { ErrorState, ListRow, RowAct, RowActs, RowLine, RowName, StateGlyph, Time } from '../../ui';
import { Messages } from './Messages';
import classes from './notifications.module.css';
import { changeChannel, renewSecret, testChannel } from './queries';
import { CHANNEL_STATES, KINDS, endText, eventsText, servicesText } from './wording';

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
  const error = turn.error ?? trial.error ?? renew.error;
  const turned = isOn ? 'Turn off' : 'Turn on';
  return (
    <ListRow label={channel.name}>
      <RowLine>
        <StateGlyph glyph={glyph}>{word}</StateGlyph>
        <RowName>{channel.name}</RowName>
        <span className="muted">{KINDS[channel.kind]}</span>
        <span className={`mono ${classes.end}`}>{endText(channel)}</span>
        {mayManage && (
          <RowActs>
            <RowAct
              word="Test"
              label={`Test ${channel.name}`}
              loading={trial.isPending}
              blocked={isOn ? undefined : 'Turn it on first'}
              onClick={() => {
                trial.mutate();
              }}
            />
            <RowAct
              word={turned}
              label={`${turned} ${channel.name}`}
              loading={turn.isPending}
              onClick={() => {
                turn.mutate();
              }}
            />
            {channel.kind === 'webhook' && (
              <RowAct
                word="Renew secret"
                label={`Renew secret of ${channel.name}`}
                loading={renew.isPending}
                onClick={() => {
                  renew.mutate();
                }}
              />
            )}
            <RowAct word="Edit" label={`Edit ${channel.name}`} onClick={onEdit} />
            <RowAct word="Delete" label={`Delete ${channel.name}`} onClick={onDelete} />
          </RowActs>
        )}
      </RowLine>
      <RowLine>
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
      </RowLine>
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
    </ListRow>
  );
}
