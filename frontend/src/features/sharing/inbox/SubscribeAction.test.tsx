import { screen } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import { at, problem, server } from '../../../testing/mock-api';
import { show } from '../../../testing/render';
import { SubscribeAction } from './SubscribeAction';

const state = (is_subscribed: boolean) =>
  HttpResponse.json({ service_id: 's1', is_subscribed, subscribers: is_subscribed ? 1 : 0 });

describe('the subscription of a service', () => {
  it('is taken and ended', async () => {
    let subscribed = false;
    server.use(
      http.get(at('/services/s1/subscription'), () => state(subscribed)),
      http.put(at('/services/s1/subscription'), () => {
        subscribed = true;
        return state(true);
      }),
      http.delete(at('/services/s1/subscription'), () => {
        subscribed = false;
        return state(false);
      }),
    );
    const { user } = show(<SubscribeAction serviceId="s1" />);
    await screen.findByRole('button', { name: 'Subscribe', pressed: false });
    await user.click(screen.getByRole('button', { name: 'Subscribe' }));
    await user.click(await screen.findByRole('button', { name: 'Unsubscribe', pressed: true }));
    expect(await screen.findByRole('button', { name: 'Subscribe' })).toBeEnabled();
  });

  it('says in place why it was not changed', async () => {
    server.use(
      http.get(at('/services/s1/subscription'), () => state(false)),
      http.put(at('/services/s1/subscription'), () => problem(404, { detail: 'No such service.' })),
    );
    const { user } = show(<SubscribeAction serviceId="s1" />);
    await user.click(await screen.findByRole('button', { name: 'Subscribe' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('No such service.');
  });
});
