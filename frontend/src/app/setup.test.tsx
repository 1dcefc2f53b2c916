import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import { TEAM, aSession, noExample } from '../testing/api-factories';
import { at, page, server } from '../testing/mock-api';
import { open } from '../testing/render';

/** Serves a team whose lists are empty until their paths are added to the returned set. */
function serve() {
  const arrived = new Set<string>();
  const list = (path: string, item: object) =>
    http.get(at(path), () => page(arrived.has(path) ? [item] : []));
  const created_at = '2026-11-27T10:00:00Z';
  const skipped = new Set<string>();
  const team = () => HttpResponse.json({ ...TEAM, skipped_setup_steps: [...skipped] });
  server.use(
    list('/artifacts', { name: 'cpu.pprof', created_at }),
    list('/builds', { commit: '5f3c1e8000', created_at }),
    list('/deployments', { created_at }),
    list('/notification-channels', { name: 'Alerts', created_at }),
    list('/services', { id: 's1', slug: 'shop' }),
    http.get(at('/teams/:team'), team),
    http.put(at('/teams/:team/setup-steps/:step'), async ({ params, request }) => {
      const { is_skipped } = (await request.json()) as { is_skipped: boolean };
      if (is_skipped) skipped.add(String(params.step));
      else skipped.delete(String(params.step));
      return team();
    }),
    http.get(at('/runners'), () => HttpResponse.json([])),
    http.get(at('/metrics/settings'), () =>
      HttpResponse.json({ retention_days: 30, series: 0, max_series: 100_000 }),
    ),
  );
  return arrived;
}

describe('Setup page', () => {
  it('opens first for a team without data, with commands for this server and service', async () => {
    serve().add('/services');
    const { where } = open('/t/northwind');
    await waitFor(() => expect(where()).toBe('/t/northwind/setup'));
    expect(await screen.findByText('0 of 6 done')).toBeVisible();
    const steps = screen.getByRole('region', { name: 'Set up my service' });
    const lines = await within(steps).findByText(/builds\/shop\//u);
    expect(lines).toHaveTextContent(`SLOWPATH_URL=${window.location.origin}`);
  });

  it('marks a step as done when its data arrives', async () => {
    const arrived = serve();
    open('/t/northwind/setup');
    expect(await screen.findByText('0 of 6 done')).toBeVisible();
    arrived.add('/artifacts');
    expect(await screen.findByText('cpu.pprof', {}, { timeout: 4_000 })).toBeVisible();
    expect(screen.getByText('1 of 6 done')).toBeVisible();
  });

  it('keeps a step skipped after reopening, until the skip is undone', async () => {
    serve();
    const { user, unmount } = open('/t/northwind/setup');
    await user.click(await screen.findByRole('button', { name: 'Skip: Upload a profile' }));
    expect(await screen.findByText('skipped')).toBeVisible();
    expect(screen.getByRole('button', { name: 'Skip: Send a build' })).toBeVisible();
    unmount();
    open('/t/northwind/setup');
    const skipped = await screen.findByText('skipped');
    await user.click(skipped);
    await user.click(await screen.findByRole('button', { name: 'Do not skip: Upload a profile' }));
    await waitFor(() => expect(screen.queryByText('skipped')).toBeNull());
  });

  it('shows skipped steps to viewers, without buttons to skip', async () => {
    serve();
    server.use(
      http.get(at('/session'), () =>
        HttpResponse.json(aSession({ teams: [{ ...TEAM, role: 'viewer' }] })),
      ),
      http.get(at('/teams/:team'), () =>
        HttpResponse.json({ ...TEAM, skipped_setup_steps: ['upload'] }),
      ),
    );
    open('/t/northwind/setup');
    expect(await screen.findByText('skipped')).toBeVisible();
    expect(await screen.findByText('waiting')).toBeVisible();
    expect(screen.queryByRole('button', { name: /kip/u })).toBeNull();
  });

  it('is not the first page of a team with a build, which starts at the comparison list', async () => {
    serve().add('/builds');
    const { where } = open('/t/northwind');
    await waitFor(() => expect(where()).toBe('/t/northwind/comparisons'));
  });

  it('adds example data without completing a step, and removes it after confirmation', async () => {
    const arrived = serve();
    let data = noExample();
    server.use(
      http.get(at('/example-data'), () => HttpResponse.json(data)),
      http.post(at('/example-data'), () => {
        data = { ...data, state: 'adding', progress: 0.5, step: 'adding builds' };
        return HttpResponse.json(data, { status: 202 });
      }),
      http.delete(at('/example-data'), () => {
        data = { ...noExample(), state: 'removing' };
        return HttpResponse.json(data, { status: 202 });
      }),
    );
    const { user } = open('/t/northwind/setup');
    const example = await screen.findByRole('region', { name: 'Explore example data' });
    await user.click(await within(example).findByRole('button', { name: 'Add example data' }));
    expect(await within(example).findByText('adding builds')).toBeVisible();

    arrived.add('/artifacts');
    data = { ...data, state: 'added', services: ['ingester', 'quoter'] };
    expect(
      await within(example).findByRole('link', { name: 'Dashboard' }, { timeout: 4_000 }),
    ).toBeVisible();
    expect(screen.getByText('0 of 6 done')).toBeVisible();

    await user.click(within(example).getByRole('button', { name: 'Remove example data' }));
    const dialog = await screen.findByRole('dialog');
    expect(dialog).toHaveTextContent('deletes the services ingester, quoter');
    await user.click(within(dialog).getByRole('button', { name: 'Remove example data' }));
    expect(await within(example).findByText('Removing example data')).toBeVisible();
  });
});
