/** The fields of a channel's destination, by kind. */
import { PasswordInput, Select, TextInput } from '@mantine/core';
import type { Kind } from './notification-wording';

export type End = {
  url: string;
  to: string;
  repository: string;
  token: string;
  signingSecret: string;
  conversation: string;
};
export const NO_END: End = {
  url: '',
  to: '',
  repository: '',
  token: '',
  signingSecret: '',
  conversation: '',
};

type EndProps = { kind: Kind; end: End; onEnd: (end: End) => void };

export function EndFields({ kind, end, onEnd }: EndProps) {
  const change = (part: keyof End) => (event: { currentTarget: { value: string } }) =>
    onEnd({ ...end, [part]: event.currentTarget.value });
  if (kind === 'email')
    return (
      <TextInput
        label="Email addresses"
        description="Each recipient gets a separate email"
        placeholder="ann@example.com, ben@example.com"
        required
        value={end.to}
        onChange={change('to')}
      />
    );
  if (kind === 'slack' || kind === 'teams')
    return (
      <PasswordInput
        label={kind === 'slack' ? 'Incoming webhook' : 'URL of the workflow'}
        description="Stored encrypted. Anyone with this URL can post to the channel."
        placeholder={
          kind === 'slack' ? 'https://hooks.slack.com/services/…' : 'https://…/triggers/manual/…'
        }
        required
        autoComplete="off"
        value={end.url}
        onChange={change('url')}
      />
    );
  if (kind === 'slack-app') return <SlackAppFields end={end} onEnd={onEnd} />;
  if (kind === 'webhook')
    return (
      <TextInput
        label="URL"
        placeholder="https://example.com/slowpath"
        required
        classNames={{ input: 'mono' }}
        value={end.url}
        onChange={change('url')}
      />
    );
  if (kind === 'grafana') return <GrafanaFields end={end} onEnd={onEnd} />;
  if (kind === 'pagerduty' || kind === 'opsgenie')
    return <AlertServiceFields kind={kind} end={end} onEnd={onEnd} />;
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
            ? 'Needs write access to commit statuses and pull requests of this repository'
            : 'A project token with the scope api'
        }
        required
        autoComplete="off"
        value={end.token}
        onChange={change('token')}
      />
      <TextInput
        label="API"
        description="Only for a self-hosted server"
        placeholder={kind === 'github' ? 'https://api.github.com' : 'https://gitlab.com/api/v4'}
        classNames={{ input: 'mono' }}
        value={end.url}
        onChange={change('url')}
      />
    </>
  );
}

function SlackAppFields({ end, onEnd }: Omit<EndProps, 'kind'>) {
  return (
    <>
      <PasswordInput
        label="Bot token"
        description="Bot User OAuth Token with the scopes chat:write, users:read and users:read.email. Stored encrypted."
        placeholder="xoxb-…"
        required
        autoComplete="off"
        value={end.token}
        onChange={(event) => onEnd({ ...end, token: event.currentTarget.value })}
      />
      <PasswordInput
        label="Signing secret"
        description="In Basic Information of the app. Stored encrypted."
        required
        autoComplete="off"
        value={end.signingSecret}
        onChange={(event) => onEnd({ ...end, signingSecret: event.currentTarget.value })}
      />
      <TextInput
        label="ID of the channel"
        description="At the end of the details of the channel in Slack. Invite the app to the channel."
        placeholder="C0123ABCD"
        required
        classNames={{ input: 'mono' }}
        value={end.conversation}
        onChange={(event) => onEnd({ ...end, conversation: event.currentTarget.value })}
      />
    </>
  );
}

function GrafanaFields({ end, onEnd }: Omit<EndProps, 'kind'>) {
  return (
    <>
      <TextInput
        label="URL of Grafana"
        placeholder="https://grafana.example.com"
        required
        classNames={{ input: 'mono' }}
        value={end.url}
        onChange={(event) => onEnd({ ...end, url: event.currentTarget.value })}
      />
      <PasswordInput
        label="Token"
        description="Of a service account that may write annotations (role Editor). Stored encrypted."
        placeholder="glsa_…"
        required
        autoComplete="off"
        value={end.token}
        onChange={(event) => onEnd({ ...end, token: event.currentTarget.value })}
      />
    </>
  );
}

const ALERT_SERVICES = {
  pagerduty: {
    key: 'Integration key',
    where: 'Of an Events API v2 integration of the service. Stored encrypted.',
    europe: 'https://events.eu.pagerduty.com',
  },
  opsgenie: {
    key: 'API key',
    where: 'Of an API integration that may create and update alerts. Stored encrypted.',
    europe: 'https://api.eu.opsgenie.com',
  },
};

function AlertServiceFields({
  kind,
  end,
  onEnd,
}: EndProps & { kind: keyof typeof ALERT_SERVICES }) {
  const { key, where, europe } = ALERT_SERVICES[kind];
  return (
    <>
      <PasswordInput
        label={key}
        description={where}
        required
        autoComplete="off"
        value={end.token}
        onChange={(event) => onEnd({ ...end, token: event.currentTarget.value })}
      />
      <Select
        label="Region"
        data={[
          { value: '', label: 'United States' },
          { value: europe, label: 'European Union' },
        ]}
        allowDeselect={false}
        value={end.url}
        onChange={(url) => onEnd({ ...end, url: url ?? '' })}
      />
    </>
  );
}
