/** Adding a channel: its kind first, then what that kind needs. Where a channel ends never changes afterwards. */
import { Checkbox, MultiSelect, PasswordInput, Select, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ChannelAdded } from '../../api';
import { FormBody, FormDialog } from '../../ui';
import '../../ui/pills';
import { servicesQuery } from '../catalog';
import classes from './notifications.module.css';
import { createChannel } from './queries';
import { EVENTS, KINDS, USUAL, type Kind, type ToldEvent } from './wording';

type FormProps = { onDone: (added: ChannelAdded | null) => void };

export function ChannelForm({ onDone }: FormProps) {
  return (
    <FormDialog
      title="New channel"
      onClose={() => {
        onDone(null);
      }}
    >
      <Fields onDone={onDone} />
    </FormDialog>
  );
}

type End = { url: string; to: string; repository: string; token: string };

function Fields({ onDone }: FormProps) {
  const client = useQueryClient();
  const services = useQuery(servicesQuery);
  const [name, setName] = useState('');
  const [kind, setKind] = useState<Kind>('slack');
  const [end, setEnd] = useState<End>({ url: '', to: '', repository: '', token: '' });
  const [events, setEvents] = useState<ToldEvent[]>(USUAL.slack);
  const [chosen, setChosen] = useState<string[]>([]);
  const keep = useMutation({
    mutationFn: () =>
      createChannel({
        name,
        kind,
        url: end.url.trim(),
        to: kind === 'email' ? end.to.split(/[\s,;]+/u).filter(Boolean) : [],
        repository: end.repository.trim(),
        token: end.token,
        events,
        service_ids: chosen.length > 0 ? chosen : null,
      }),
    onSuccess: async (added) => {
      await client.invalidateQueries({ queryKey: ['channel'] });
      onDone(added);
    },
  });
  return (
    <FormBody
      what="The channel was not added"
      submit="Add channel"
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
          setName(event.currentTarget.value);
        }}
      />
      <Select
        label="Kind"
        data={Object.entries(KINDS).map(([value, label]) => ({ value, label }))}
        allowDeselect={false}
        value={kind}
        onChange={(next) => {
          const chosenKind = (next ?? 'slack') as Kind;
          setKind(chosenKind);
          setEvents(USUAL[chosenKind]);
        }}
      />
      <EndFields kind={kind} end={end} onEnd={setEnd} />
      <Checkbox.Group
        label="Told when"
        value={events}
        onChange={(next) => {
          setEvents(next);
        }}
      >
        <div className={classes.events}>
          {EVENTS.map(({ value, label }) => (
            <Checkbox key={value} value={value} label={label} />
          ))}
        </div>
      </Checkbox.Group>
      <MultiSelect
        label="Of services"
        description="None named: of all, those to come too"
        searchable
        data={(services.data?.items ?? []).map((one) => ({ value: one.id, label: one.name }))}
        value={chosen}
        onChange={setChosen}
      />
    </FormBody>
  );
}

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
