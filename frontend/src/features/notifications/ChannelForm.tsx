/** A channel: its kind first, then what that kind needs. Where it ends never changes afterwards; all else does. */
import { Checkbox, MultiSelect, PasswordInput, Select, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Channel, ChannelAdded, ChannelWords } from '../../api';
import { FormBody, FormDialog } from '../../ui';
import '../../ui/pills';
import { servicesQuery } from '../catalog';
import classes from './notifications.module.css';
import { changeChannel, createChannel } from './queries';
import { EVENTS, KINDS, USUAL, isCodeHost, toldEvents, type Kind, type ToldEvent } from './wording';

type FormProps = {
  /** What is to be changed; null: one is added. */
  channel: Channel | null;
  onDone: (added: ChannelAdded | null) => void;
};

export function ChannelForm({ channel, onDone }: FormProps) {
  return (
    <FormDialog
      title={channel ? `Edit ${channel.name}` : 'New channel'}
      onClose={() => {
        onDone(null);
      }}
    >
      <Fields channel={channel} onDone={onDone} />
    </FormDialog>
  );
}

type End = { url: string; to: string; repository: string; token: string };
type Words = { name: string; kind: Kind; events: ToldEvent[]; chosen: string[] };

const NEW: Words = { name: '', kind: 'slack', events: USUAL.slack, chosen: [] };
const wordsOf = (channel: Channel | null): Words =>
  channel
    ? {
        name: channel.name,
        kind: channel.kind,
        events: toldEvents(channel),
        chosen: channel.service_ids ?? [],
      }
    : NEW;

function Fields({ channel, onDone }: FormProps) {
  const client = useQueryClient();
  const services = useQuery(servicesQuery);
  const [words, setWords] = useState(() => wordsOf(channel));
  const { name, kind, events, chosen } = words;
  const change = (said: Partial<Words>) => {
    setWords({ ...words, ...said });
  };
  const [end, setEnd] = useState<End>({ url: '', to: '', repository: '', token: '' });
  const keep = useMutation({
    mutationFn: async (): Promise<ChannelAdded | null> => {
      if (!channel) return createChannel(wanted({ name, kind, events, chosen }, end));
      await changeChannel(channel.id, {
        name,
        events,
        ...(chosen.length > 0 ? { service_ids: chosen } : { all_services: true }),
      });
      return null;
    },
    onSuccess: async (added) => {
      await client.invalidateQueries({ queryKey: ['channel'] });
      onDone(added);
    },
  });
  return (
    <FormBody
      what={channel ? 'The channel was not changed' : 'The channel was not added'}
      submit={channel ? 'Keep' : 'Add channel'}
      keep={keep}
      blocked={events.length === 0 ? 'A channel that is told nothing is of no use' : undefined}
      onCancel={() => {
        onDone(null);
      }}
    >
      <TextInput
        label="Name"
        placeholder="#latency"
        required
        maxLength={200}
        data-autofocus
        value={name}
        onChange={(event) => {
          change({ name: event.currentTarget.value });
        }}
      />
      {!channel && (
        <>
          <Select
            label="Kind"
            data={Object.entries(KINDS).map(([value, label]) => ({ value, label }))}
            allowDeselect={false}
            value={kind}
            onChange={(next) => {
              const chosenKind = (next ?? 'slack') as Kind;
              change({ kind: chosenKind, events: USUAL[chosenKind] });
            }}
          />
          <EndFields kind={kind} end={end} onEnd={setEnd} />
        </>
      )}
      {isCodeHost(kind) ? (
        <p className="t2">
          Every judged build has a status beside its commit; its pull request has one comment, only
          if something changed.
        </p>
      ) : (
        <Checkbox.Group
          label="Told when"
          value={events}
          onChange={(next) => {
            change({ events: next });
          }}
        >
          <div className={classes.events}>
            {EVENTS.map(({ value, label }) => (
              <Checkbox key={value} value={value} label={label} />
            ))}
          </div>
        </Checkbox.Group>
      )}
      <MultiSelect
        label="Of services"
        description="None named: of all, those to come too"
        searchable
        data={(services.data?.items ?? []).map((one) => ({ value: one.id, label: one.name }))}
        value={chosen}
        onChange={(next) => {
          change({ chosen: next });
        }}
      />
    </FormBody>
  );
}

const wanted = ({ name, kind, events, chosen }: Words, end: End): ChannelWords => ({
  name,
  kind,
  url: end.url.trim(),
  to: kind === 'email' ? end.to.split(/[\s,;]+/u).filter(Boolean) : [],
  repository: end.repository.trim(),
  token: end.token,
  events,
  service_ids: chosen.length > 0 ? chosen : null,
});

type EndProps = { kind: Kind; end: End; onEnd: (end: End) => void };

function EndFields({ kind, end, onEnd }: EndProps) {
  const change = (part: keyof End) => (event: { currentTarget: { value: string } }) => {
    onEnd({ ...end, [part]: event.currentTarget.value });
  };
  if (kind === 'email')
    return (
      <TextInput
        label="Addresses"
        description="Each gets a letter of their own"
        placeholder="ann@example.com, ben@example.com"
        required
        value={end.to}
        onChange={change('to')}
      />
    );
  if (kind === 'slack')
    return (
      <PasswordInput
        label="Incoming webhook"
        description="Kept sealed: who knows it can write there"
        placeholder="https://hooks.slack.com/services/…"
        required
        autoComplete="off"
        value={end.url}
        onChange={change('url')}
      />
    );
  if (kind === 'webhook')
    return (
      <TextInput
        label="Address"
        placeholder="https://example.com/slowpath"
        required
        classNames={{ input: 'mono' }}
        value={end.url}
        onChange={change('url')}
      />
    );
  return (
    <>
      <TextInput
        label="Repository"
        placeholder="owner/name"
        required
        classNames={{ input: 'mono' }}
        value={end.repository}
        onChange={change('repository')}
      />
      <PasswordInput
        label="Token"
        description={
          kind === 'github'
            ? 'May write commit statuses and pull requests of this repository'
            : 'A project token with the scope api'
        }
        required
        autoComplete="off"
        value={end.token}
        onChange={change('token')}
      />
      <TextInput
        label="API"
        description="Only for a server of your own"
        placeholder={kind === 'github' ? 'https://api.github.com' : 'https://gitlab.com/api/v4'}
        classNames={{ input: 'mono' }}
        value={end.url}
        onChange={change('url')}
      />
    </>
  );
}
