import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import { at, page, problem, server } from '../../../testing/mock-api';
import { show } from '../../../testing/render';
import MailSettings from './MailSettings';
import UnsubscribePage from './UnsubscribePage';

const SCHEDULE = {
  is_stored: false,
  frequency: 'immediate',
  digest_hour: 9,
  digest_weekday: 0,
  quiet_from: null,
  quiet_to: null,
  is_high_severity_immediate: true,
  time_zone: 'UTC',
};

function serve(items: unknown[], isMailConfigured = true): void {
  server.use(
    http.get(at('/auth/methods'), () =>
      HttpResponse.json({
        are_passwords_enabled: true,
        sign_up: true,
        is_mail_configured: isMailConfigured,
        oidc: null,
        saml: null,
      }),
    ),
    http.get(at('/subscriptions'), () => HttpResponse.json({ items })),
    http.get(at('/services'), () => page([{ id: 's1', name: 'Shop' }])),
    http.get(at('/mail-schedule'), () => HttpResponse.json(SCHEDULE)),
  );
}

describe('MailSettings', () => {
  it('lists subscriptions with their events and severity', async () => {
    serve([
      { service_id: null, events: ['bisect.finished'], min_severity: 'low' },
      { service_id: 's1', events: ['production-event.opened'], min_severity: 'high' },
    ]);
    show(<MailSettings teamName="Shop team" />);
    expect(await screen.findByRole('listitem', { name: 'All services' })).toHaveTextContent(
      /Bisect finished$/,
    );
    expect(await screen.findByRole('listitem', { name: 'Shop' })).toHaveTextContent(
      /Production got slower; severity high only$/,
    );
    expect(screen.queryByRole('button', { name: 'Subscribe to all services' })).toBeNull();
  });

  it('ends one subscription and keeps the other', async () => {
    let items = [
      { service_id: null, events: ['bisect.finished'], min_severity: 'low' },
      { service_id: 's1', events: ['bisect.finished'], min_severity: 'low' },
    ];
    serve([]);
    server.use(
      http.get(at('/subscriptions'), () => HttpResponse.json({ items })),
      http.delete(at('/subscriptions/all-services'), () => {
        items = items.slice(1);
        return new HttpResponse(null, { status: 204 });
      }),
    );
    const { user } = show(<MailSettings teamName="Shop team" />);
    await user.click(await screen.findByRole('button', { name: 'Unsubscribe from All services' }));
    expect(
      await screen.findByRole('button', { name: 'Subscribe to all services' }),
    ).toBeInTheDocument();
    expect(screen.getByRole('listitem', { name: 'Shop' })).toBeInTheDocument();
  });

  it('saves quiet hours in the time zone of the browser', async () => {
    serve([]);
    const sent: unknown[] = [];
    server.use(
      http.put(at('/mail-schedule'), async ({ request }) => {
        const body = (await request.json()) as object;
        sent.push(body);
        return HttpResponse.json({ ...SCHEDULE, ...body, is_stored: true });
      }),
    );
    const { user } = show(<MailSettings teamName="Shop team" />);
    await user.click(await screen.findByRole('checkbox', { name: /^Quiet hours/ }));
    await user.click(await screen.findByRole('checkbox', { name: /high severity at once/ }));
    await user.click(screen.getByRole('button', { name: 'Save schedule' }));
    await waitFor(() =>
      expect(sent).toMatchObject([
        {
          frequency: 'immediate',
          quiet_from: '22:00',
          quiet_to: '07:00',
          is_high_severity_immediate: false,
          time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        },
      ]),
    );
    expect(await screen.findByRole('status')).toHaveTextContent(/^Saved\./);
  });

  it('is empty when the server sends no mail', async () => {
    serve([], false);
    const { container } = show(<MailSettings teamName="Shop team" />);
    await waitFor(() => expect(screen.queryByText('Subscriptions')).toBeNull());
    expect(within(container).queryByRole('button')).toBeNull();
  });
});

describe('UnsubscribePage', () => {
  it('ends the subscription only after a click', async () => {
    let ended = 0;
    server.use(
      http.get(at('/unsubscribe/t1'), () =>
        HttpResponse.json({ is_subscribed: true, team_name: 'Shop team', service_name: 'Cart' }),
      ),
      http.post(at('/unsubscribe/t1'), () => {
        ended += 1;
        return HttpResponse.json({ is_subscribed: false, team_name: '', service_name: null });
      }),
    );
    const { user } = show(<UnsubscribePage token="t1" />);
    expect(await screen.findByText('Cart')).toBeInTheDocument();
    expect(ended).toBe(0);
    await user.click(screen.getByRole('button', { name: 'Unsubscribe' }));
    expect(
      await screen.findByRole('heading', { name: 'You are unsubscribed' }),
    ).toBeInTheDocument();
    expect(ended).toBe(1);
  });

  it('shows an error for an incomplete link', async () => {
    server.use(
      http.get(at('/unsubscribe/t1'), () =>
        problem(404, { title: 'No such link', resolution: 'Copy the whole link from the mail.' }),
      ),
    );
    show(<UnsubscribePage token="t1" />);
    expect(await screen.findByRole('alert')).toHaveTextContent('Copy the whole link');
  });
});
