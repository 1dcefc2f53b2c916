import { screen, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import { at, problem, server } from '../../../testing/mock-api';
import { show } from '../../../testing/render';
import { SubscribeAction } from './SubscribeAction';

const PATH = at('/services/s1/subscription');
const state = (is_subscribed: boolean, is_of_all_services = false) =>
  HttpResponse.json({
    service_id: 's1',
    is_subscribed,
    is_of_all_services,
    events: is_subscribed ? ['bisect.finished'] : [],
    min_severity: 'low',
    subscribers: is_subscribed ? 1 : 0,
  });

describe('SubscribeAction', () => {
  it('subscribes to a service, changes the events, and unsubscribes', async () => {
    let subscribed = false;
    const sent: unknown[] = [];
    server.use(
      http.get(PATH, () => state(subscribed)),
      http.put(PATH, async ({ request }) => {
        sent.push(await request.json());
        subscribed = true;
        return state(true);
      }),
      http.delete(PATH, () => {
        subscribed = false;
        return state(false);
      }),
    );
    const { user } = show(<SubscribeAction serviceId="s1" />);
    await user.click(await screen.findByRole('button', { name: 'Subscribe' }));
    await user.click(await screen.findByRole('button', { name: 'Subscribed' }));
    await user.click(await screen.findByRole('checkbox', { name: 'Production got slower' }));
    await user.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() =>
      expect(sent).toEqual([
        {},
        { events: ['bisect.finished', 'production-event.opened'], min_severity: 'low' },
      ]),
    );
    await user.click(await screen.findByRole('button', { name: 'Subscribed' }));
    await user.click(await screen.findByRole('button', { name: 'Unsubscribe' }));
    expect(await screen.findByRole('button', { name: 'Subscribe' })).toBeEnabled();
  });

  it('does not offer to end a subscription to all services', async () => {
    server.use(http.get(PATH, () => state(true, true)));
    const { user } = show(<SubscribeAction serviceId="s1" />);
    await user.click(await screen.findByRole('button', { name: 'Subscribed' }));
    expect(await screen.findByText(/^You are subscribed to all services\./)).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Unsubscribe' })).not.toBeInTheDocument();
  });

  it('shows in place why a change was rejected', async () => {
    server.use(
      http.get(PATH, () => state(false)),
      http.put(PATH, () => problem(404, { detail: 'No such service.' })),
    );
    const { user } = show(<SubscribeAction serviceId="s1" />);
    await user.click(await screen.findByRole('button', { name: 'Subscribe' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('No such service.');
  });
});
