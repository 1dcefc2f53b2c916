import { screen, waitFor, within } from '@testing-library/react';
import axe from 'axe-core';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { Hook, HookDelivery } from '../api';
import { open } from '../testing/render';
import { at, page, problem, server } from '../testing/mock-api';

const ID = '00000000-0000-4000-8000-00000000aa01';
const HOSTILE = '<img src=x onerror=alert(1)>';
const SECRET = 'whsec_dGhlIHNlY3JldCBvZiB0aGUgaG9vaw==';

function aWebhook(changed: Partial<Hook> = {}): Hook {
  return {
    id: ID,
    name: 'monorepo',
    kind: 'github',
    address: `https://slowpath.example/api/v1/webhooks/${ID}/github`,
    repository_id: null,
    service_ids: [],
    target: null,
    api_url: null,
    last_delivery_at: null,
    reconciled_at: null,
    missed_count: 0,
    problem: null,
    created_at: '2026-11-20T09:12:00Z',
    ...changed,
  };
}

function aDelivery(changed: Partial<HookDelivery> = {}): HookDelivery {
  return {
    id: '00000000-0000-4000-8000-00000000aa11',
    delivery_id: '72d3162e',
    event: 'push',
    state: 'done',
    outcome: '3 new of 3 commits on main recorded',
    size_bytes: 7000,
    created_at: '2026-11-20T09:12:00Z',
    processed_at: '2026-11-20T09:12:01Z',
    ...changed,
  };
}

function serve(hooks: Hook[] = [], deliveries: HookDelivery[] = []) {
  server.use(
    http.get(at('/webhooks'), () => page(hooks)),
    http.get(at(`/webhooks/${ID}/deliveries`), () => page(deliveries)),
    http.get(at('/repositories'), () => page([])),
    http.get(at('/services'), () => page([])),
  );
}

const opened = () => open('/t/northwind/settings?tab=integrations');

describe('Webhook settings', () => {
  it('show what webhooks record when there are none', async () => {
    serve();
    opened();
    expect(
      await screen.findByText(/No webhooks yet\. Add one to record commits on pu/),
    ).toBeInTheDocument();
  });

  it('show URL and deliveries of a webhook, and why the check for missed ones failed', async () => {
    const refused = { title: 'No', detail: 'GitHub answers 404', status: 409, type: 'urn:x' };
    serve(
      [
        aWebhook({
          target: HOSTILE,
          problem: refused,
          api_url: 'https://api.github.com',
          missed_count: 2,
        }),
        aWebhook({ id: 'b', name: HOSTILE, kind: 'gitlab' }),
      ],
      [aDelivery(), aDelivery({ id: 'x', state: 'ignored', outcome: HOSTILE })],
    );
    const { user, container } = opened();
    const row = await screen.findByRole('listitem', { name: 'monorepo' });
    expect(within(row).getByLabelText('URL')).toHaveValue(aWebhook().address);
    expect(row).toHaveTextContent('Could not check for missed deliveries · GitHub answers 404');
    expect(screen.getByRole('listitem', { name: HOSTILE })).toHaveTextContent('no deliveries yet');
    await user.click(within(row).getByRole('button', { name: 'Deliveries' }));
    const messages = await screen.findByRole('list', { name: 'Deliveries of monorepo' });
    expect(messages).toHaveTextContent('3 new of 3 commits on main recorded');
    expect(container.querySelector('img')).toBeNull();
    const { violations } = await axe.run(screen.getByRole('list', { name: 'Webhooks' }), {
      rules: { 'color-contrast': { enabled: false } },
    });
    expect(violations.map(({ id }) => id)).toEqual([]);
  });

  it('add a webhook, and show its secret only until the tab is left', async () => {
    serve();
    const sent: unknown[] = [];
    server.use(
      http.post(at('/webhooks'), async ({ request }) => {
        sent.push(await request.json());
        return HttpResponse.json({ webhook: aWebhook(), secret: SECRET }, { status: 201 });
      }),
    );
    const { user } = opened();
    await user.click(await screen.findByRole('button', { name: 'Add webhook' }));
    const form = await screen.findByRole('dialog');
    await user.type(within(form).getByLabelText(/^Name/), 'monorepo');
    await user.click(within(form).getByRole('button', { name: 'Add webhook' }));
    expect(await screen.findByText(/Copy the secret of monorepo now/)).toBeInTheDocument();
    expect(screen.getByDisplayValue(SECRET)).toBeInTheDocument();
    expect(sent).toEqual([
      { name: 'monorepo', kind: 'github', repository_id: null, service_ids: [] },
    ]);
    await user.click(screen.getByRole('tab', { name: 'Notifications' }));
    await user.click(screen.getByRole('tab', { name: 'Integrations' }));
    expect(await screen.findByRole('button', { name: 'Add webhook' })).toBeVisible();
    expect(screen.queryByDisplayValue(SECRET)).toBeNull();
  });

  it('hide the secret of a new webhook that is deleted', async () => {
    serve([aWebhook()]);
    server.use(
      http.post(at('/webhooks'), () =>
        HttpResponse.json({ webhook: aWebhook(), secret: SECRET }, { status: 201 }),
      ),
      http.delete(at(`/webhooks/${ID}`), () => new HttpResponse(null, { status: 204 })),
    );
    const { user } = opened();
    await user.click(await screen.findByRole('button', { name: 'Add webhook' }));
    const form = await screen.findByRole('dialog');
    await user.type(within(form).getByLabelText(/^Name/), 'monorepo');
    await user.click(within(form).getByRole('button', { name: 'Add webhook' }));
    expect(await screen.findByDisplayValue(SECRET)).toBeInTheDocument();
    await user.click(await screen.findByRole('button', { name: 'Delete monorepo' }));
    const dialog = await screen.findByRole('dialog', { name: 'Delete monorepo?' });
    await user.click(within(dialog).getByRole('button', { name: 'Delete webhook' }));
    await waitFor(() => expect(screen.queryByDisplayValue(SECRET)).toBeNull());
  });

  it('show why the server rejected a new webhook', async () => {
    serve();
    server.use(
      http.post(at('/webhooks'), () => problem(429, { detail: 'As many as there may be' })),
    );
    const { user } = opened();
    await user.click(await screen.findByRole('button', { name: 'Add webhook' }));
    const form = await screen.findByRole('dialog');
    await user.type(within(form).getByLabelText(/^Name/), 'monorepo');
    await user.click(within(form).getByRole('button', { name: 'Add webhook' }));
    expect(await within(form).findByText(/As many as there may be/)).toBeInTheDocument();
  });
});
