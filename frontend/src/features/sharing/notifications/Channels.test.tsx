import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { Channel, ChannelMessage } from '../../../api';
import { at, page, problem, server } from '../../../testing/mock-api';
import { enter, show } from '../../../testing/render';
import { ChannelForm } from './ChannelForm';
import Channels from './Channels';

const AT = '2026-11-20T09:12:00Z';

const aChannel = (changed: Partial<Channel> = {}): Channel => ({
  id: 'c1',
  name: '#latency',
  kind: 'slack',
  target: { host: 'hooks.slack.com' },
  events: ['regression.opened'],
  service_ids: null,
  state: 'on',
  failing_since: null,
  problem: null,
  sent_at: null,
  interactivity_url: null,
  created_at: AT,
  ...changed,
});

const aMessage = (changed: Partial<ChannelMessage> = {}): ChannelMessage => ({
  id: 'm1',
  event: 'regression.opened',
  sentence: 'shop got slower',
  state: 'sent',
  failures: 0,
  next_attempt_at: null,
  problem: null,
  sent_at: AT,
  created_at: AT,
  ...changed,
});

const serve = (...channels: Channel[]) =>
  server.use(http.get(at('/notification-channels'), () => page(channels)));

/** Records the requests with one method to a path below the channels; responds with `answer`. */
function record(method: 'post' | 'patch', path: string, answer: () => Response): unknown[] {
  const sent: unknown[] = [];
  server.use(
    http[method](at(`/notification-channels${path}`), async ({ request }) => {
      sent.push(await request.json().catch(() => null));
      return answer();
    }),
  );
  return sent;
}

const row = (name: string) => screen.findByRole('listitem', { name });
const button = (name: string) => screen.findByRole('button', { name });

describe('row of a notification channel', () => {
  it('shows its kind, destination, events and services, and no actions without permission', async () => {
    serve(
      aChannel({ events: ['regression.opened', 'bisect.finished'] }),
      aChannel({
        id: 'c2',
        name: 'mail',
        kind: 'email',
        target: { to: ['ann@x.example', 'ben@x.example'] },
        service_ids: ['s1'],
        state: 'off',
      }),
      aChannel({ id: 'c3', name: 'host', kind: 'gitlab', target: { repository: 'shop/api' } }),
    );
    show(<Channels mayManage={false} />);
    expect(await row('#latency')).toHaveTextContent(
      /on#latencySlackhooks\.slack\.comevents Regression confirmed, Bisect finished, of all services/,
    );
    expect(await row('mail')).toHaveTextContent(
      /offmaile-mailann@x\.example, ben@x\.exampleevents Regression confirmed, of 1 service/,
    );
    expect(await row('host')).toHaveTextContent(/GitLabshop\/api/);
    expect(screen.queryByRole('button', { name: /^(Edit|Delete|Test|Turn)/ })).toBeNull();
    expect(screen.queryByRole('button', { name: 'Add channel' })).not.toBeInTheDocument();
  });

  it('turns the channel off and on without a reload', async () => {
    let channel = aChannel();
    server.use(http.get(at('/notification-channels'), () => page([channel])));
    const sent = record('patch', '/:id', () => {
      channel = aChannel({ state: channel.state === 'on' ? 'off' : 'on' });
      return HttpResponse.json(channel);
    });
    const { user } = show(<Channels mayManage />);
    await user.click(await button('Turn off #latency'));
    await button('Turn on #latency');
    expect(await button('Test #latency')).toBeDisabled();
    expect(await button('Test #latency')).toHaveAttribute('title', 'Turn it on first');
    await user.click(await button('Turn on #latency'));
    await button('Turn off #latency');
    expect(sent).toEqual([{ state: 'off' }, { state: 'on' }]);
  });

  it('shows the Request URL of a Slack app', async () => {
    serve(aChannel({ kind: 'slack-app', interactivity_url: 'https://x.example/api/v1/slack/1' }));
    show(<Channels mayManage />);
    expect(await screen.findByDisplayValue('https://x.example/api/v1/slack/1')).toBeInTheDocument();
  });
  it('opens its notifications after a test', async () => {
    serve(aChannel());
    server.use(http.get(at('/notification-channels/c1/notifications'), () => page([aMessage()])));
    record('post', '/:id/test', () => HttpResponse.json(aMessage(), { status: 202 }));
    const { user } = show(<Channels mayManage />);
    await user.click(await button('Test #latency'));
    expect(await screen.findByText('shop got slower')).toBeInTheDocument();
    expect(await button('Hide notifications')).toHaveAttribute('aria-expanded', 'true');
  });

  it('shows in place why a test was rejected', async () => {
    serve(aChannel());
    record('post', '/:id/test', () =>
      problem(429, { title: 'Too many tests', detail: 'One a minute.', resolution: 'Wait.' }),
    );
    const { user } = show(<Channels mayManage />);
    await user.click(await button('Test #latency'));
    const alert = await within(await row('#latency')).findByRole('alert');
    expect(alert).toHaveTextContent('Too many tests · One a minute.');
    expect(alert).toHaveTextContent('Wait.');
    expect(await button('Notifications')).toHaveAttribute('aria-expanded', 'false');
  });

  it('shows the renewed secret of a webhook and offers no renewal for other kinds', async () => {
    serve(aChannel(), aChannel({ id: 'c2', name: 'ours', kind: 'webhook', target: { url: 'x' } }));
    server.use(
      http.post(at('/notification-channels/c2/:act'), () =>
        HttpResponse.json({ channel: aChannel(), secret: 'whsec_new' }),
      ),
    );
    const { user } = show(<Channels mayManage />);
    await user.click(await button('Renew secret of ours'));
    expect(await screen.findByDisplayValue('whsec_new')).toBeInTheDocument();
    expect(screen.getByText(/^Copy the signing secret of ours now/)).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Renew secret of #latency' })).toBeNull();
  });
});

describe('notifications of a channel', () => {
  async function open(channel: Channel, messages: ChannelMessage[], mayManage = true) {
    serve(channel);
    server.use(http.get(at('/notification-channels/:id/notifications'), () => page(messages)));
    const { user } = show(<Channels mayManage={mayManage} />);
    await user.click(await button('Notifications'));
    return user;
  }

  it('show a message when none was sent', async () => {
    await open(aChannel(), []);
    expect(await screen.findByText('No notifications sent yet.')).toBeInTheDocument();
  });

  it('show the number of failures, the reason and the next attempt', async () => {
    await open(aChannel(), [
      aMessage({
        state: 'waiting',
        failures: 2,
        next_attempt_at: '2026-11-20T10:00:00Z',
        problem: { type: 'x', title: 'x', status: 500, detail: 'The server answered 500.' },
      }),
      aMessage({ id: 'm2', state: 'abandoned', failures: 1 }),
    ]);
    const list = await screen.findByRole('list', { name: 'Notifications of #latency' });
    const [waiting, failed] = within(list).getAllByRole('listitem');
    expect(waiting).toHaveTextContent(/^Pending.*2 failures · retrying .*The server answered 500/);
    expect(failed).toHaveTextContent(/^Failed.*1 failure$|^Failed.*1 failureResend$/);
    // A notification with pending attempts cannot be sent again.
    expect(within(waiting!).queryByRole('button')).not.toBeInTheDocument();
    expect(within(failed!).getByRole('button', { name: 'Resend' })).toBeEnabled();
  });

  it.each([
    ['when the channel is off', aChannel({ state: 'off' }), true],
    ['by viewers', aChannel(), false],
  ])('cannot be resent %s', async (_, channel, mayManage) => {
    await open(channel, [aMessage()], mayManage);
    expect(await screen.findByText('shop got slower')).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Resend' })).not.toBeInTheDocument();
  });

  it('load older entries on request', async () => {
    serve(aChannel());
    server.use(
      http.get(at('/notification-channels/:id/notifications'), ({ request }) =>
        new URL(request.url).searchParams.has('cursor')
          ? page([aMessage({ id: 'm2', sentence: 'older' })])
          : HttpResponse.json({ items: [aMessage()], next_cursor: 'x' }),
      ),
    );
    const { user } = show(<Channels mayManage />);
    await user.click(await button('Notifications'));
    await user.click(await button('Load older notifications'));
    expect(await screen.findByText('older')).toBeInTheDocument();
    expect(screen.getByText('shop got slower')).toBeInTheDocument();
  });
});

describe('ChannelForm', () => {
  const chooseKind = async (user: ReturnType<typeof show>['user'], name: string) => {
    await user.click(screen.getByRole('combobox', { name: 'Kind' }));
    await user.click(await screen.findByRole('option', { name, hidden: true }));
  };
  const added = () => HttpResponse.json({ channel: aChannel(), secret: null }, { status: 201 });

  it('sends every email address, however they are separated', async () => {
    const sent = record('post', '', added);
    const { user } = show(<ChannelForm channel={null} onDone={() => undefined} />);
    await chooseKind(user, 'e-mail');
    await enter(user, screen.getByLabelText(/^Name/), 'mail');
    await enter(user, screen.getByLabelText(/^Email addresses/), 'a@x.example; b@x.example, ');
    await user.click(await button('Add channel'));
    await waitFor(() =>
      expect(sent).toMatchObject([
        { kind: 'email', recipients: ['a@x.example', 'b@x.example'], service_ids: null },
      ]),
    );
  });

  it('clears the secret URL of Slack when another kind is selected', async () => {
    const sent = record('post', '', added);
    const { user } = show(<ChannelForm channel={null} onDone={() => undefined} />);
    await enter(user, screen.getByLabelText(/^Name/), 'ours');
    await enter(user, screen.getByLabelText(/^Incoming webhook/), 'https://hooks.slack.com/s3cret');
    await chooseKind(user, 'GitHub');
    expect(screen.getByLabelText('API')).toHaveValue('');
    await enter(user, screen.getByLabelText(/^Repository/), ' shop/api ');
    await user.type(screen.getByLabelText(/^Token/), 'ghp');
    expect(screen.queryByRole('group', { name: 'Events' })).not.toBeInTheDocument();
    await user.click(await button('Add channel'));
    await waitFor(() =>
      expect(sent).toMatchObject([
        {
          url: '',
          repository: 'shop/api',
          token: 'ghp',
          events: ['build.evaluated', 'pull-request.measured'],
        },
      ]),
    );
  });

  it('turns the closing of issues on and off for a channel of a code host', async () => {
    const host = aChannel({ kind: 'github', events: ['build.evaluated', 'regression.updated'] });
    const sent = record('patch', '/c1', () => HttpResponse.json(host));
    const { user } = show(<ChannelForm channel={host} onDone={() => undefined} />);
    const closes = await screen.findByRole('checkbox', { name: /^Close issues/ });
    expect(closes).not.toBeChecked();
    await user.click(closes);
    await user.click(await button('Save'));
    const ends = ['build.evaluated', 'production-event.closed', 'regression.updated'];
    await waitFor(() => expect(sent).toMatchObject([{ events: ends }]));
    await user.click(closes);
    expect(closes).not.toBeChecked();
  });

  it('sends the key and region of PagerDuty with the events it supports', async () => {
    const sent = record('post', '', added);
    const { user } = show(<ChannelForm channel={null} onDone={() => undefined} />);
    await enter(user, screen.getByLabelText(/^Name/), 'on call');
    await chooseKind(user, 'PagerDuty');
    await enter(user, screen.getByLabelText(/^Integration key/), 'k'.repeat(32));
    await user.click(screen.getByRole('combobox', { name: 'Region' }));
    await user.click(await screen.findByRole('option', { name: 'European Union', hidden: true }));
    expect(screen.queryByRole('checkbox', { name: 'Build evaluated' })).toBeNull();
    await user.click(await button('Add channel'));
    await waitFor(() =>
      expect(sent).toMatchObject([
        {
          kind: 'pagerduty',
          token: 'k'.repeat(32),
          url: 'https://events.eu.pagerduty.com',
          events: [
            'production-event.opened',
            'production-event.updated',
            'production-event.closed',
            'regression.opened',
            'regression.updated',
          ],
        },
      ]),
    );
  });

  it('sends the token, signing secret and channel of a Slack app', async () => {
    const sent = record('post', '', added);
    const { user } = show(<ChannelForm channel={null} onDone={() => undefined} />);
    await enter(user, screen.getByLabelText(/^Name/), 'app');
    await chooseKind(user, 'Slack app');
    await enter(user, screen.getByLabelText(/^Bot token/), 'xoxb-1');
    await enter(user, screen.getByLabelText(/^Signing secret/), 's3cret');
    await enter(user, screen.getByLabelText(/^ID of the channel/), ' C0123ABCD ');
    await user.click(await button('Add channel'));
    await waitFor(() =>
      expect(sent).toMatchObject([
        {
          kind: 'slack-app',
          token: 'xoxb-1',
          signing_secret: 's3cret',
          conversation: 'C0123ABCD',
          url: '',
        },
      ]),
    );
  });
  it('sends the URL of a Teams workflow', async () => {
    const sent = record('post', '', added);
    const { user } = show(<ChannelForm channel={null} onDone={() => undefined} />);
    await enter(user, screen.getByLabelText(/^Name/), 'team');
    await chooseKind(user, 'Microsoft Teams');
    const url = 'https://a.example/workflows/1/invoke?sig=s3cret';
    await enter(user, screen.getByLabelText(/^URL of the workflow/), url);
    await user.click(await button('Add channel'));
    await waitFor(() => expect(sent).toMatchObject([{ kind: 'teams', url }]));
  });

  it('requires at least one event', async () => {
    const { user } = show(<ChannelForm channel={aChannel()} onDone={() => undefined} />);
    const save = await button('Save');
    expect(save).toBeEnabled();
    await user.click(screen.getByRole('checkbox', { name: 'Regression confirmed' }));
    expect(save).toBeDisabled();
    expect(save).toHaveAttribute('title', 'Select at least one event');
  });

  it('saves the name and events of a channel and keeps it for all services', async () => {
    const sent = record('patch', '/c1', () => HttpResponse.json(aChannel()));
    const done: unknown[] = [];
    const { user } = show(<ChannelForm channel={aChannel()} onDone={(made) => done.push(made)} />);
    expect(screen.queryByRole('combobox', { name: 'Kind' })).not.toBeInTheDocument();
    await user.click(await screen.findByRole('checkbox', { name: 'Build evaluated' }));
    await user.click(await button('Save'));
    await waitFor(() => expect(done).toEqual([null]));
    expect(sent).toEqual([
      {
        name: '#latency',
        events: ['regression.opened', 'build.evaluated'],
        all_services: true,
      },
    ]);
  });
});
