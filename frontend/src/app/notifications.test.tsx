import { screen, waitFor, within } from '@testing-library/react';
import axe from 'axe-core';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { Channel, ChannelMessage } from '../api';
import { open } from '../testing/render';
import { at, page, problem, server } from '../testing/mock-api';

const ID = '00000000-0000-4000-8000-000000000c01';
const HOSTILE = '<img src=x onerror=alert(1)>';

function aChannel(changed: Partial<Channel> = {}): Channel {
  return {
    id: ID,
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
    created_at: '2026-11-20T09:12:00Z',
    ...changed,
  };
}

function aMessage(changed: Partial<ChannelMessage> = {}): ChannelMessage {
  return {
    id: '00000000-0000-4000-8000-000000000c11',
    event: 'regression.opened',
    sentence: 'shop got slower: Clone takes more time',
    state: 'sent',
    failures: 0,
    next_attempt_at: null,
    problem: null,
    sent_at: '2026-11-20T09:13:00Z',
    created_at: '2026-11-20T09:12:00Z',
    ...changed,
  };
}

function serve(channels: Channel[] = [], messages: ChannelMessage[] = []) {
  server.use(
    http.get(at('/notification-channels'), () => page(channels)),
    http.get(at(`/notification-channels/${ID}/notifications`), () => page(messages)),
    http.get(at('/services'), () => page([])),
  );
}

const opened = () => open('/t/northwind/settings?tab=notifications');

async function expectAccessible(element: Element) {
  // jsdom computes no layout: contrast is measured from the color tokens instead.
  const { violations } = await axe.run(element, {
    rules: { 'color-contrast': { enabled: false } },
  });
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  expect(grave.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)).toEqual([]);
}

describe('Notification channel settings', () => {
  it('show a message when there are no channels', async () => {
    serve();
    opened();
    expect(
      await screen.findByText(/No channels yet\. Add Slack, a Slack app, Teams, email,/),
    ).toBeInTheDocument();
  });

  it('show destination and events of a channel, and why notifications are stopped', async () => {
    const gone = {
      type: 'urn:slowpath:test',
      status: 422,
      title: 'Gone',
      detail: 'Slack answered 404: no_service',
    };
    serve([
      aChannel(),
      aChannel({
        id: 'b',
        name: HOSTILE,
        kind: 'webhook',
        target: { url: 'https://x.example' },
        state: 'disabled-after-failures',
        problem: gone,
      }),
    ]);
    const { container } = opened();
    const first = await screen.findByRole('listitem', { name: '#latency' });
    expect(first).toHaveTextContent('hooks.slack.com');
    expect(first).toHaveTextContent('events Regression confirmed, of all services');
    const second = screen.getByRole('listitem', { name: HOSTILE });
    expect(second).toHaveTextContent('Notifications are stopped · Slack answered 404');
    expect(within(second).getByRole('button', { name: /^Test/ })).toBeDisabled();
    expect(container.querySelector('img')).toBeNull();
    await expectAccessible(screen.getByRole('list', { name: 'Channels' }));
  });

  it('add a webhook channel, and show its signing secret only until the tab is left', async () => {
    serve();
    const sent: unknown[] = [];
    server.use(
      http.post(at('/notification-channels'), async ({ request }) => {
        sent.push(await request.json());
        const channel = aChannel({
          kind: 'webhook',
          name: 'ours',
          target: { url: 'https://x.example/h' },
        });
        serve([channel]);
        return HttpResponse.json({ channel, secret: 'whsec_once' }, { status: 201 });
      }),
    );
    const { user } = opened();
    await user.click(await screen.findByRole('button', { name: 'Add channel' }));
    const form = await screen.findByRole('dialog', { name: 'New channel' });
    await user.type(within(form).getByLabelText(/^Name/), 'ours');
    await user.click(within(form).getByRole('combobox', { name: 'Kind' }));
    await user.click(await screen.findByRole('option', { name: 'webhook', hidden: true }));
    await user.type(within(form).getByLabelText(/^URL/), 'https://x.example/h');
    await expectAccessible(form);
    await user.click(within(form).getByRole('button', { name: 'Add channel' }));
    expect(await screen.findByDisplayValue('whsec_once')).toBeInTheDocument();
    expect(sent).toEqual([
      {
        name: 'ours',
        kind: 'webhook',
        url: 'https://x.example/h',
        recipients: [],
        repository: '',
        token: '',
        conversation: '',
        signing_secret: '',
        events: [
          'production-event.opened',
          'production-event.updated',
          'production-event.closed',
          'regression.opened',
          'regression.updated',
          'build.evaluated',
          'pull-request.measured',
          'bisect.finished',
        ],
        service_ids: null,
      },
    ]);
    await user.click(screen.getByRole('tab', { name: 'Metrics' }));
    await user.click(screen.getByRole('tab', { name: 'Notifications' }));
    expect(await screen.findByRole('listitem', { name: 'ours' })).toBeVisible();
    expect(screen.queryByDisplayValue('whsec_once')).toBeNull();
  });

  it('update the events of a channel, without its destination, and offer no events for a code host', async () => {
    serve([
      aChannel(),
      aChannel({
        id: 'b',
        name: 'ours',
        kind: 'github',
        target: { repository: 'n/shop' },
        events: ['build.evaluated'],
      }),
    ]);
    const sent: unknown[] = [];
    server.use(
      http.patch(at('/notification-channels/:id'), async ({ request }) => {
        sent.push(await request.json());
        return HttpResponse.json(aChannel());
      }),
    );
    const { user } = opened();
    await user.click(await screen.findByRole('button', { name: 'Edit #latency' }));
    const form = await screen.findByRole('dialog', { name: 'Edit #latency' });
    expect(within(form).queryByLabelText(/^Incoming webhook/)).not.toBeInTheDocument();
    await user.click(within(form).getByRole('checkbox', { name: 'Regression state changed' }));
    await user.click(within(form).getByRole('button', { name: 'Save' }));
    await waitFor(() => {
      expect(sent).toEqual([
        {
          name: '#latency',
          events: ['regression.opened', 'regression.updated'],
          all_services: true,
        },
      ]);
    });
    await user.click(await screen.findByRole('button', { name: 'Edit ours' }));
    const other = await screen.findByRole('dialog', { name: 'Edit ours' });
    expect(within(other).getByRole('checkbox')).toHaveAccessibleName(/^Close issues/);
  });

  it('show why a new channel was rejected, with the resolution', async () => {
    serve();
    server.use(
      http.post(at('/notification-channels'), () =>
        problem(422, {
          type: 'urn:slowpath:address-not-public',
          title: 'This address is not asked',
          detail: 'The address does not lie in the public internet.',
          resolution: 'The operator can list the host.',
        }),
      ),
    );
    const { user } = opened();
    await user.click(await screen.findByRole('button', { name: 'Add channel' }));
    const form = await screen.findByRole('dialog', { name: 'New channel' });
    await user.type(within(form).getByLabelText(/^Name/), 'x');
    await user.type(within(form).getByLabelText(/^Incoming webhook/), 'http://127.0.0.1');
    await user.click(within(form).getByRole('button', { name: 'Add channel' }));
    const alert = await within(form).findByRole('alert');
    expect(alert).toHaveTextContent('Could not add the channel · The address does not lie');
    expect(alert).toHaveTextContent('The operator can list the host.');
  });

  it('show the state of each notification, and resend a failed one', async () => {
    const failed = {
      type: 'urn:slowpath:test',
      status: 422,
      title: 'x',
      detail: 'The receiver answered 500: not now',
    };
    serve(
      [aChannel()],
      [
        aMessage({ state: 'abandoned', failures: 11, problem: failed, sent_at: null }),
        aMessage({ id: 'm2', sentence: HOSTILE }),
      ],
    );
    const asked: string[] = [];
    server.use(
      http.post(at('/notifications/:id/redeliver'), ({ params }) => {
        asked.push(String(params.id));
        return HttpResponse.json(aMessage({ state: 'waiting' }), { status: 202 });
      }),
    );
    const { user } = opened();
    await user.click(await screen.findByRole('button', { name: 'Notifications' }));
    const list = await screen.findByRole('list', { name: 'Notifications of #latency' });
    const [first, second] = within(list).getAllByRole('listitem');
    expect(first).toHaveTextContent('Failed');
    expect(first).toHaveTextContent('11 failures');
    expect(first).toHaveTextContent('The receiver answered 500: not now');
    expect(second).toHaveTextContent(HOSTILE);
    await expectAccessible(list);
    await user.click(within(first!).getByRole('button', { name: 'Resend' }));
    expect(asked).toEqual(['00000000-0000-4000-8000-000000000c11']);
  });

  it('delete a channel after confirmation, and show why a deletion failed', async () => {
    serve([aChannel()]);
    let asked = 0;
    server.use(
      http.delete(at(`/notification-channels/${ID}`), () => {
        asked += 1;
        if (asked === 1)
          return problem(409, { type: 'urn:slowpath:conflict', title: 'x', detail: 'Not now.' });
        serve([]);
        return new HttpResponse(null, { status: 204 });
      }),
    );
    const { user } = opened();
    await user.click(await screen.findByRole('button', { name: 'Delete #latency' }));
    const dialog = await screen.findByRole('dialog', { name: 'Delete #latency?' });
    expect(asked).toBe(0);
    await user.click(within(dialog).getByRole('button', { name: 'Delete channel' }));
    expect(await within(dialog).findByRole('alert')).toHaveTextContent(
      'Could not delete it · Not now.',
    );
    await user.click(within(dialog).getByRole('button', { name: 'Delete channel' }));
    expect(
      await screen.findByText(/No channels yet\. Add Slack, a Slack app, Teams, email,/),
    ).toBeInTheDocument();
    expect(asked).toBe(2);
  });
});
