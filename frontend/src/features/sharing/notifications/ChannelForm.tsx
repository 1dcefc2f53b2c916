/**
 * The form of a notification channel: its kind, then the fields of that kind. Its destination
 * cannot be changed later.
 */
import { Checkbox, MultiSelect, Select } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Channel, ChannelCreatedOut, ChannelWords } from '../../../api';
import { FormBody, FormDialog, NameField } from '../../../ui';
import '../../../ui/pill-styles';
import { servicesQuery } from '../../inventory/catalog';
import { EndFields, NO_END, type End } from './EndFields';
import classes from './notifications.module.css';
import { updateChannel, createChannel } from './notification-queries';
import {
  KINDS,
  DEFAULT_EVENTS,
  ISSUE_EVENTS,
  eventsOf,
  isCodeHost,
  notificationEvents,
  type Kind,
  type NotificationEvent,
} from './notification-wording';

type FormProps = {
  /** The channel to change; null to add one. */
  channel: Channel | null;
  onDone: (added: ChannelCreatedOut | null) => void;
};

export function ChannelForm({ channel, onDone }: FormProps) {
  return (
    <FormDialog
      title={channel ? `Edit ${channel.name}` : 'New channel'}
      onClose={() => onDone(null)}
    >
      <Fields channel={channel} onDone={onDone} />
    </FormDialog>
  );
}

type Words = { name: string; kind: Kind; events: NotificationEvent[]; chosen: string[] };

const NEW: Words = { name: '', kind: 'slack', events: DEFAULT_EVENTS.slack, chosen: [] };
const fieldsOf = (channel: Channel | null): Words =>
  channel
    ? {
        name: channel.name,
        kind: channel.kind,
        events: notificationEvents(channel),
        chosen: channel.service_ids ?? [],
      }
    : NEW;

function Fields({ channel, onDone }: FormProps) {
  const client = useQueryClient();
  const services = useQuery(servicesQuery);
  const [words, setWords] = useState(() => fieldsOf(channel));
  const { name, kind, events, chosen } = words;
  const change = (changed: Partial<Words>) => setWords({ ...words, ...changed });
  const [end, setEnd] = useState(NO_END);
  const save = useMutation({
    mutationFn: async (): Promise<ChannelCreatedOut | null> => {
      if (!channel) return createChannel(channelBody({ name, kind, events, chosen }, end));
      await updateChannel(channel.id, {
        name,
        events,
        ...(chosen.length > 0 ? { service_ids: chosen } : { all_services: true }),
      });
      return null;
    },
    onSuccess: async (added) => {
      await client.invalidateQueries({ queryKey: ['notification_channel'] });
      onDone(added);
    },
  });
  return (
    <FormBody
      what={channel ? 'Could not save the channel' : 'Could not add the channel'}
      submit={channel ? 'Save' : 'Add channel'}
      save={save}
      blocked={events.length === 0 ? 'Select at least one event' : undefined}
      onCancel={() => onDone(null)}
    >
      <NameField placeholder="#latency" value={name} onChange={(next) => change({ name: next })} />
      {!channel && (
        <>
          <Select
            label="Kind"
            data={Object.entries(KINDS).map(([value, label]) => ({ value, label }))}
            allowDeselect={false}
            value={kind}
            onChange={(next) => {
              const chosenKind = (next ?? 'slack') as Kind;
              change({ kind: chosenKind, events: DEFAULT_EVENTS[chosenKind] });
              // The URL of a Slack channel is a secret: the form of another kind must not show or
              // send it.
              setEnd(NO_END);
            }}
          />
          <EndFields kind={kind} end={end} onEnd={setEnd} />
        </>
      )}
      {isCodeHost(kind) ? (
        <CodeHostEvents events={events} onEvents={(next) => change({ events: next })} />
      ) : (
        <Checkbox.Group label="Events" value={events} onChange={(next) => change({ events: next })}>
          <div className={classes.events}>
            {eventsOf(kind).map(({ value, label }) => (
              <Checkbox key={value} value={value} label={label} />
            ))}
          </div>
        </Checkbox.Group>
      )}
      <MultiSelect
        label="Services"
        description="All services if none are selected"
        searchable
        data={(services.data?.items ?? []).map((one) => ({ value: one.id, label: one.name }))}
        value={chosen}
        onChange={(next) => change({ chosen: next })}
      />
    </FormBody>
  );
}

type CodeHostEventsProps = {
  events: NotificationEvent[];
  onEvents: (events: NotificationEvent[]) => void;
};

function CodeHostEvents({ events, onEvents }: CodeHostEventsProps) {
  const others = events.filter((event) => !ISSUE_EVENTS.includes(event));
  return (
    <>
      <p className="t2">
        Each evaluated build gets a commit status. Its pull request gets one comment if something
        changed.
      </p>
      <Checkbox
        label="Close issues that were created with this channel"
        description="With a comment, once the production event or the regression is closed"
        checked={ISSUE_EVENTS.every((event) => events.includes(event))}
        onChange={({ currentTarget }) =>
          onEvents(currentTarget.checked ? [...others, ...ISSUE_EVENTS] : others)
        }
      />
    </>
  );
}

const channelBody = ({ name, kind, events, chosen }: Words, end: End): ChannelWords => ({
  name,
  kind,
  url: end.url.trim(),
  recipients: kind === 'email' ? end.to.split(/[\s,;]+/u).filter(Boolean) : [],
  repository: end.repository.trim(),
  token: end.token,
  signing_secret: end.signingSecret,
  conversation: end.conversation.trim(),
  events,
  service_ids: chosen.length > 0 ? chosen : null,
});
