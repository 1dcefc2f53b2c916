/** Notification channels with their events and delivery state. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Channel } from '../../../api';
import { DeleteDialog, ListSection } from '../../../ui';
import { ChannelForm } from './ChannelForm';
import { ChannelRow } from './ChannelRow';
import { SigningSecret } from './SigningSecret';
import { channelsQuery, deleteChannel } from './notification-queries';

export type ChannelsProps = { mayManage: boolean };

export default function Channels({ mayManage }: ChannelsProps) {
  const channels = useQuery(channelsQuery);
  const [editing, setEditing] = useState<Channel | 'new' | null>(null);
  const [leaving, setLeaving] = useState<Channel | null>(null);
  const [secret, setSecret] = useState<{ of: string; text: string } | null>(null);
  return (
    <ListSection
      title="Channels"
      help="channels"
      aside="destinations for evaluated builds and confirmed regressions"
      kept={channels}
      add={
        mayManage && (
          <Button
            onClick={() => {
              setEditing('new');
            }}
          >
            Add channel
          </Button>
        )
      }
      empty="No channels yet. Add Slack, email, a webhook, or GitHub or GitLab."
      above={secret && <SigningSecret of={secret.of} secret={secret.text} />}
      row={(channel) => (
        <ChannelRow
          channel={channel}
          mayManage={mayManage}
          onSecret={(text) => {
            setSecret({ of: channel.name, text });
          }}
          onEdit={() => {
            setEditing(channel);
          }}
          onDelete={() => {
            setLeaving(channel);
          }}
        />
      )}
    >
      {editing && (
        <ChannelForm
          channel={editing === 'new' ? null : editing}
          onDone={(added) => {
            setEditing(null);
            if (added?.secret) setSecret({ of: added.channel.name, text: added.secret });
          }}
        />
      )}
      {leaving && (
        <DeleteChannel
          channel={leaving}
          onDone={() => {
            setLeaving(null);
          }}
        />
      )}
    </ListSection>
  );
}

function DeleteChannel({ channel, onDone }: { channel: Channel; onDone: () => void }) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => deleteChannel(channel.id),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['notification_channel'] });
      onDone();
    },
  });
  return (
    <DeleteDialog name={channel.name} noun="channel" remove={remove} onClose={onDone}>
      Stops notifications and deletes their history. Turn the channel off to keep the history.
    </DeleteDialog>
  );
}
