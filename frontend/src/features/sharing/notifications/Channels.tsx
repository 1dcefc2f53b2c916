/** Notification channels with their events and delivery state. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { DeleteResource, EditableList, OneTimeSecret } from '../../../ui';
import { ChannelForm } from './ChannelForm';
import { ChannelRow } from './ChannelRow';
import { channelsQuery, deleteChannel } from './notification-queries';

export type ChannelsProps = { mayManage: boolean };

export default function Channels({ mayManage }: ChannelsProps) {
  const channels = useQuery(channelsQuery);
  const [secret, setSecret] = useState<{ id: string; of: string; text: string } | null>(null);
  return (
    <EditableList
      title="Channels"
      help="channels"
      aside="destinations for events of production, builds and bisects"
      query={channels}
      add={mayManage && 'Add channel'}
      empty="No channels yet. Add Slack, a Slack app, Teams, email, PagerDuty, Opsgenie, Grafana, a webhook, or a code host."
      above={secret && <SigningSecret of={secret.of} secret={secret.text} />}
      columns={[
        { id: 'name', head: 'Name', text: ({ name }) => name },
        { id: 'kind', head: 'Kind', text: ({ kind }) => kind },
        { id: 'state', head: 'State', text: ({ state }) => state },
      ]}
      row={(channel, dialogs) => (
        <ChannelRow
          channel={channel}
          mayManage={mayManage}
          onSecret={(text) => setSecret({ id: channel.id, of: channel.name, text })}
          {...dialogs}
        />
      )}
      form={(channel, onDone) => (
        <ChannelForm
          channel={channel}
          onDone={(added) => {
            onDone();
            if (!added?.secret) return;
            const { id, name } = added.channel;
            setSecret({ id, of: name, text: added.secret });
          }}
        />
      )}
      deletion={({ id, name }, onClose) => (
        <DeleteResource
          name={name}
          noun="channel"
          request={async () => {
            await deleteChannel(id);
            if (secret?.id === id) setSecret(null);
          }}
          stale={['notification_channel']}
          onClose={onClose}
        >
          Stops notifications and deletes their history. Turn the channel off to keep the history.
        </DeleteResource>
      )}
    />
  );
}

/** The secret with which a receiver verifies signatures. */
function SigningSecret({ of, secret }: { of: string; secret: string }) {
  return (
    <OneTimeSecret
      lead={`Copy the signing secret of ${of} now.`}
      note={
        <>
          It is shown once. Requests are signed as Standard Webhooks:{' '}
          <span className="mono">webhook-id</span>, <span className="mono">webhook-timestamp</span>,{' '}
          <span className="mono">webhook-signature</span>.
        </>
      }
      label="Signing secret"
      secret={secret}
    />
  );
}
