/** Where the team is told, of what, and how that has been going. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Channel } from '../../api';
import { DeleteDialog, EmptyState, ErrorState, Section, SkeletonRows } from '../../ui';
import { ChannelForm } from './ChannelForm';
import { ChannelRow } from './ChannelRow';
import { SecretOnce } from './SecretOnce';
import classes from './notifications.module.css';
import { channelsQuery, deleteChannel } from './queries';

export type ChannelsProps = { mayManage: boolean };

export default function Channels({ mayManage }: ChannelsProps) {
  const channels = useQuery(channelsQuery);
  const [adding, setAdding] = useState(false);
  const [leaving, setLeaving] = useState<Channel | null>(null);
  const [secret, setSecret] = useState<{ of: string; text: string } | null>(null);
  const rows = channels.data?.items ?? [];
  const add = mayManage && (
    <Button
      onClick={() => {
        setAdding(true);
      }}
    >
      Add channel
    </Button>
  );
  return (
    <Section
      title="Channels"
      aside="who is told when a build is judged and a regression confirmed"
      controls={rows.length > 0 && add}
    >
      {secret && <SecretOnce of={secret.of} secret={secret.text} />}
      {channels.error && (
        <ErrorState
          what="The channels could not be read"
          error={channels.error}
          action={<Button onClick={() => void channels.refetch()}>Try again</Button>}
        />
      )}
      {channels.isPending && <SkeletonRows rows={2} height={42} />}
      {channels.data && rows.length === 0 && (
        <EmptyState action={add}>
          Nobody is told anything yet. Slack, e-mail, webhooks, and the commits and pull requests of
          GitHub or GitLab will be listed here.
        </EmptyState>
      )}
      {rows.length > 0 && (
        <ul className={classes.list} aria-label="Channels">
          {rows.map((channel) => (
            <ChannelRow
              key={channel.id}
              channel={channel}
              mayManage={mayManage}
              onSecret={(text) => {
                setSecret({ of: channel.name, text });
              }}
              onDelete={() => {
                setLeaving(channel);
              }}
            />
          ))}
        </ul>
      )}
      {adding && (
        <ChannelForm
          onDone={(added) => {
            setAdding(false);
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
    </Section>
  );
}

function DeleteChannel({ channel, onDone }: { channel: Channel; onDone: () => void }) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => deleteChannel(channel.id),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['channel'] });
      onDone();
    },
  });
  return (
    <DeleteDialog name={channel.name} noun="channel" remove={remove} onClose={onDone}>
      Nothing more is told there, and what was told is forgotten. Turning it off keeps both.
    </DeleteDialog>
  );
}
