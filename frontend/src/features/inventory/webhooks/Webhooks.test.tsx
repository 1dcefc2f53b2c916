import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { Hook, HookDelivery } from '../../../api';
import { at, page, problem, server } from '../../../testing/mock-api';
import { enter, show } from '../../../testing/render';
import { WebhookForm } from './WebhookForm';
import Webhooks from './Webhooks';

const AT = '2026-11-20T09:12:00Z';

const aHook = (changed: Partial<Hook> = {}): Hook => ({
  id: 'h1',
  name: 'monorepo',
  kind: 'github',
  address: 'https://slowpath.example/api/v1/webhooks/h1/github',
  repository_id: null,
  service_ids: [],
  target: null,
  api_url: null,
  last_delivery_at: null,
  reconciled_at: null,
  missed_count: 0,
  problem: null,
  created_at: AT,
  ...changed,
});

const aDelivery = (changed: Partial<HookDelivery> = {}): HookDelivery => ({
  id: 'd1',
  delivery_id: '72d3162e',
  event: 'push',
  state: 'done',
  outcome: '3 new commits recorded',
  size_bytes: 7000,
  created_at: AT,
  processed_at: AT,
  ...changed,
});

function serve(hooks: Hook[], deliveries: HookDelivery[] = []) {
  server.use(
    http.get(at('/webhooks'), () => page(hooks)),
    http.get(at('/webhooks/:id/deliveries'), () => page(deliveries)),
    http.get(at('/repositories'), () => page([{ id: 'r1', name: 'shop/api' }])),
    http.get(at('/services'), () => page([{ id: 's1', name: 'shop' }])),
  );
}

const row = (name: string) => screen.findByRole('listitem', { name });
const button = (name: string) => screen.findByRole('button', { name });

describe('Webhooks row', () => {
  it('shows the services of a webhook, and how many deliveries were requested again', async () => {
    serve([
      aHook({ service_ids: ['s1', 's2'], reconciled_at: AT, missed_count: 1 }),
      aHook({ id: 'h2', name: 'one', repository_id: 'r1', target: 'shop/api', kind: 'gitlab' }),
      aHook({ id: 'h3', name: 'any', reconciled_at: AT, last_delivery_at: AT }),
    ]);
    show(<Webhooks mayManage={false} />);
    expect(await row('monorepo')).toHaveTextContent(/monorepoGitHubfor 2 services/);
    expect(await row('monorepo')).toHaveTextContent(
      /no deliveries yet · checked for missed deliveries .*, 1 delivery requested again/,
    );
    expect(await row('one')).toHaveTextContent(
      /oneGitLabshop\/apifor services built from its repository/,
    );
    expect(await row('any')).toHaveTextContent(/for services matched by name/);
    expect(await row('any')).not.toHaveTextContent('requested again');
    expect(screen.queryByRole('button', { name: /^(Renew|Delete|Check)/ })).toBeNull();
  });

  it('offers a check for missed deliveries only with an API, and shows why the check failed', async () => {
    serve([aHook({ api_url: 'https://api.github.com' }), aHook({ id: 'h2', name: 'other' })]);
    let count = 0;
    server.use(
      http.post(at('/webhooks/h1/:act'), () => {
        count += 1;
        return problem(502, { detail: 'GitHub answered 401.', resolution: 'Renew the token.' });
      }),
    );
    const { user } = show(<Webhooks mayManage />);
    await user.click(await button('Check for missed deliveries of monorepo'));
    const alert = await within(await row('monorepo')).findByRole('alert');
    expect(alert).toHaveTextContent('GitHub answered 401.');
    expect(alert).toHaveTextContent('Renew the token.');
    expect(count).toBe(1);
    expect(
      screen.queryByRole('button', { name: 'Check for missed deliveries of other' }),
    ).not.toBeInTheDocument();
  });

  it('shows the deliveries on request, and hides them again', async () => {
    serve(
      [aHook()],
      [
        aDelivery(),
        aDelivery({ id: 'd2', event: 'ping', state: 'ignored', outcome: 'nothing to record' }),
      ],
    );
    const { user } = show(<Webhooks mayManage={false} />);
    await user.click(await button('Deliveries'));
    const list = await screen.findByRole('list', { name: 'Deliveries of monorepo' });
    const [push, ping] = within(list).getAllByRole('listitem');
    expect(push).toHaveTextContent(/^donepush3 new commits recorded/);
    expect(ping).toHaveTextContent(/^ignoredpingnothing to record/);
    await user.click(await button('Hide deliveries'));
    expect(screen.queryByRole('list', { name: /^Deliveries/ })).not.toBeInTheDocument();
  });

  it('shows why the deliveries cannot be loaded', async () => {
    serve([aHook()]);
    server.use(
      http.get(at('/webhooks/:id/deliveries'), () => problem(403, { detail: 'Not readable.' }), {
        once: true,
      }),
    );
    const { user } = show(<Webhooks mayManage={false} />);
    await user.click(await button('Deliveries'));
    expect(await screen.findByRole('alert')).toHaveTextContent('Not readable.');
  });

  it('is deleted after a confirmation that states the consequence', async () => {
    let hooks = [aHook({ kind: 'gitlab' })];
    serve([]);
    server.use(
      http.get(at('/webhooks'), () => page(hooks)),
      http.delete(at('/webhooks/h1'), () => {
        hooks = [];
        return new HttpResponse(null, { status: 204 });
      }),
    );
    const { user } = show(<Webhooks mayManage />);
    await user.click(await button('Delete monorepo'));
    const question = await screen.findByRole('dialog', { name: 'Delete monorepo?' });
    expect(question).toHaveTextContent('What GitLab sends is rejected from then on.');
    expect(hooks).toHaveLength(1);
    await user.click(within(question).getByRole('button', { name: /^Delete/ }));
    expect(await screen.findByText(/^No webhooks yet/)).toBeInTheDocument();
  });

  it('shows a renewed secret, and where to enter it', async () => {
    serve([aHook()]);
    server.use(
      http.post(at('/webhooks/h1/:act'), () =>
        HttpResponse.json({ webhook: aHook(), secret: 'whsec_new' }),
      ),
    );
    const { user } = show(<Webhooks mayManage />);
    await user.click(await button('Renew secret of monorepo'));
    expect(await screen.findByDisplayValue('whsec_new')).toBeInTheDocument();
    expect(screen.getByText(/In the repository: Settings, Webhooks/)).toBeInTheDocument();
    expect(screen.getByLabelText('URL for GitHub')).toHaveValue(aHook().address);
  });
});

describe('WebhookForm', () => {
  function openForm() {
    serve([]);
    const sent: unknown[] = [];
    server.use(
      http.post(at('/webhooks'), async ({ request }) => {
        sent.push(await request.json());
        return HttpResponse.json({ webhook: aHook(), secret: 's' }, { status: 201 });
      }),
    );
    return { ...show(<WebhookForm onDone={() => undefined} />), sent };
  }

  it('sends no API URL without a token', async () => {
    const { user, sent } = openForm();
    expect(screen.queryByLabelText('API')).not.toBeInTheDocument();
    await enter(user, screen.getByLabelText(/^Name/), 'monorepo');
    await user.type(screen.getByLabelText('Token'), ' ');
    await user.click(await button('Add webhook'));
    await waitFor(() =>
      expect(sent).toEqual([
        { name: 'monorepo', kind: 'github', repository_id: null, service_ids: [] },
      ]),
    );
  });

  it('sends the default API URL of the kind with a token, unless another is entered', async () => {
    const { user, sent } = openForm();
    await user.type(screen.getByLabelText(/^Name/), 'x');
    await user.click(screen.getByRole('combobox', { name: 'Kind' }));
    await user.click(await screen.findByRole('option', { name: 'GitLab', hidden: true }));
    expect(screen.getByText(/Needed to check GitLab hourly/)).toBeInTheDocument();
    await enter(user, screen.getByLabelText('Token'), ' glpat ');
    const add = await button('Add webhook');
    await user.click(add);
    await waitFor(() => expect(sent).toHaveLength(1));
    await enter(user, screen.getByLabelText('API'), 'https://git.example/api/v4');
    await waitFor(() => expect(add).toBeEnabled());
    await user.click(add);
    await waitFor(() => expect(sent).toHaveLength(2));
    expect(sent).toMatchObject([
      { kind: 'gitlab', api: { url: 'https://gitlab.com/api/v4', token: 'glpat' } },
      { kind: 'gitlab', api: { url: 'https://git.example/api/v4', token: 'glpat' } },
    ]);
  });

  it('shows no token field for Bitbucket, and sends no token', async () => {
    const { user, sent } = openForm();
    await enter(user, screen.getByLabelText(/^Name/), 'api');
    await enter(user, screen.getByLabelText('Token'), 'ghp');
    await user.click(screen.getByRole('combobox', { name: 'Kind' }));
    await user.click(await screen.findByRole('option', { name: 'Bitbucket', hidden: true }));
    expect(screen.queryByLabelText('Token')).not.toBeInTheDocument();
    await user.click(await button('Add webhook'));
    await waitFor(() =>
      expect(sent).toEqual([
        { name: 'api', kind: 'bitbucket', repository_id: null, service_ids: [] },
      ]),
    );
  });
});
