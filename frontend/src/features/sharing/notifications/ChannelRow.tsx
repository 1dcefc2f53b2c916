/** One channel: its destination, events and delivery state, and its notifications on request. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Channel } from '../../../api';
import {
  CopyField,
  ErrorState,
  ExpandButton,
  ListRow,
  RowAction,
  RowActions,
  RowLine,
  RowName,
  RowText,
  StateIcon,
  Timestamp,
} from '../../../ui';
import { NotificationList } from './NotificationList';
import { updateChannel, renewSecret, testChannel } from './notification-queries';
import { CHANNEL_STATES, KINDS, endText, eventsText, servicesText } from './notification-wording';

type RowProps = {
  channel: Channel;
  mayManage: boolean;
  onSecret: (secret: string) => void;
  onEdit: () => void;
  onDelete: () => void;
};

/** Mutations of one channel; `onTested` runs after a test notification, `onSecret` with a new secret. */
function useChannelMutations(
  channel: Channel,
  onTested: () => void,
  onSecret: (secret: string) => void,
) {
  const client = useQueryClient();
  const refetch = async () => {
    await client.invalidateQueries({ queryKey: ['notification_channel'] });
    await client.invalidateQueries({ queryKey: ['notification', channel.id] });
  };
  const toggle = useMutation({
    mutationFn: () => updateChannel(channel.id, { state: channel.state === 'on' ? 'off' : 'on' }),
    onSettled: refetch,
  });
  const test = useMutation({
    mutationFn: () => testChannel(channel.id),
    onSuccess: onTested,
    onSettled: refetch,
  });
  const renew = useMutation({
    mutationFn: () => renewSecret(channel.id),
    onSuccess: ({ secret }) => {
      if (secret) onSecret(secret);
    },
  });
  return { toggle, test, renew, error: toggle.error ?? test.error ?? renew.error };
}

export function ChannelRow({ channel, mayManage, onSecret, onEdit, onDelete }: RowProps) {
  const [opened, setOpened] = useState(false);
  const mutations = useChannelMutations(channel, () => setOpened(true), onSecret);
  const [glyph, word] = CHANNEL_STATES[channel.state];
  return (
    <ListRow label={channel.name}>
      <RowLine>
        <StateIcon glyph={glyph}>{word}</StateIcon>
        <RowName>{channel.name}</RowName>
        <span className="muted">{KINDS[channel.kind]}</span>
        <RowText mono>{endText(channel)}</RowText>
        {mayManage && (
          <ChannelActions
            channel={channel}
            mutations={mutations}
            onEdit={onEdit}
            onDelete={onDelete}
          />
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
        <ExpandButton noun="Notifications" opened={opened} onOpened={setOpened} />
      </RowLine>
      {channel.interactivity_url && (
        <CopyField
          label="Request URL for buttons: enter it in Interactivity & Shortcuts of the Slack app"
          value={channel.interactivity_url}
        />
      )}
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
      {mutations.error && <ErrorState compact error={mutations.error} />}
      {opened && <NotificationList channel={channel} mayManage={mayManage} />}
    </ListRow>
  );
}

type ActionsProps = Pick<RowProps, 'channel' | 'onEdit' | 'onDelete'> & {
  mutations: ReturnType<typeof useChannelMutations>;
};

function ChannelActions({ channel, mutations, onEdit, onDelete }: ActionsProps) {
  const { toggle, test, renew } = mutations;
  const isOn = channel.state === 'on';
  const turned = isOn ? 'Turn off' : 'Turn on';
  return (
    <RowActions>
      <RowAction
        word="Test"
        label={`Test ${channel.name}`}
        loading={test.isPending}
        blocked={isOn ? undefined : 'Turn it on first'}
        onClick={() => test.mutate()}
      />
      <RowAction
        word={turned}
        label={`${turned} ${channel.name}`}
        loading={toggle.isPending}
        onClick={() => toggle.mutate()}
      />
      {channel.kind === 'webhook' && (
        <RowAction
          word="Renew secret"
          label={`Renew secret of ${channel.name}`}
          loading={renew.isPending}
          onClick={() => renew.mutate()}
        />
      )}
      <RowAction word="Edit" label={`Edit ${channel.name}`} onClick={onEdit} />
      <RowAction word="Delete" label={`Delete ${channel.name}`} onClick={onDelete} />
    </RowActions>
  );
}
