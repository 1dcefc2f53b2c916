import { screen, waitFor, within } from '@testing-library/react';
import axe from 'axe-core';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { MetricSource, ReadThrough } from '../api';
import { aJob, aSession } from '../testing/api-factories';
import { open } from '../testing/render';
import { at, page, problem, server } from '../testing/mock-api';

const ID = '00000000-0000-4000-8000-000000000a01';
const HOSTILE = '<img src=x onerror=alert(1)>';

function aSource(changed: Partial<MetricSource> = {}): MetricSource {
  return {
    id: ID,
    name: 'Production Prometheus',
    url: 'https://prometheus.example/prometheus',
    credentials: 'bearer',
    last_import: null,
    last_check: null,
    created_at: '2026-11-20T09:12:00Z',
    ...changed,
  };
}

const ENDED: NonNullable<MetricSource['last_import']> = {
  state: 'done',
  from_ms: Date.UTC(2026, 10, 14, 9, 12),
  to_ms: Date.UTC(2026, 10, 21, 9, 12),
  names: 12,
  series: 340,
  samples: 1_204_000,
  skipped: [
    {
      metric: 'native-histogram',
      count: 96,
      detail: 'Native histograms are left out: this API does not return their resolution.',
    },
  ],
};

/** Serves the settings with these sources. */
function serve(sources: MetricSource[] = []) {
  server.use(
    http.get(at('/metric-sources'), () => page(sources)),
    http.get(at('/metrics/names'), () =>
      HttpResponse.json({ items: [], series: 0, max_series: 100_000, more: false }),
    ),
    http.get(at('/metric-rules'), () => page([])),
  );
}

const row = () => screen.findByRole('listitem', { name: 'Production Prometheus' });
const opened = () => open('/t/northwind/settings?tab=metrics');

async function expectAccessible(element: Element) {
  // jsdom computes no layout: contrast is measured from the color tokens instead.
  const { violations } = await axe.run(element, {
    rules: { 'color-contrast': { enabled: false } },
  });
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  expect(grave.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)).toEqual([]);
}

describe('Metric sources', () => {
  it('show a message when there are none', async () => {
    serve();
    opened();
    expect(
      await screen.findByText(/No metric sources yet\. Add a Prometheus, Thanos/),
    ).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Add source' })).toBeInTheDocument();
  });

  it('show their URL and credentials, and what the last import skipped and why', async () => {
    serve([
      aSource({ last_import: ENDED }),
      aSource({
        id: 'b',
        name: HOSTILE,
        credentials: 'none',
        last_import: { state: 'failed', from_ms: 0, to_ms: 1, detail: 'thanos did not answer.' },
      }),
    ]);
    const { container } = opened();
    const first = await row();
    expect(first).toHaveTextContent('https://prometheus.example/prometheus');
    expect(first).toHaveTextContent('access token');
    expect(first).toHaveTextContent('12 names, 340 series, 1,204,000 samples');
    expect(first).toHaveTextContent('14 Nov 2026 09:12 to 21 Nov 2026 09:12 UTC');
    expect(within(first).getByRole('list', { name: 'Skipped' })).toHaveTextContent(
      'skipped 96 × native-histogram · Native histograms are left out',
    );
    const second = screen.getByRole('listitem', { name: HOSTILE });
    expect(second).toHaveTextContent('import failed');
    expect(second).toHaveTextContent('thanos did not answer.');
    expect(container.querySelector('img')).toBeNull();
    await expectAccessible(screen.getByRole('list', { name: 'Metric sources' }));
  });

  it('show the result of the last check, and which metrics an import downsampled', async () => {
    serve([
      aSource({
        last_check: {
          at_ms: Date.UTC(2026, 10, 21, 9, 12),
          version: '2.42.0',
          names: 1_204,
          recognized_names: ['http_requests_total'],
        },
        last_import: {
          ...ENDED,
          skipped: [],
          downsampled: {
            count: 21,
            names: ['http_requests_total', 'queue_depth'],
            step_s: 60,
            reason: 'The source responded with status 422: range selectors are off.',
          },
        },
      }),
      aSource({
        id: 'b',
        name: 'gone',
        last_check: { at_ms: 0, detail: 'thanos did not answer within 10 seconds.' },
      }),
    ]);
    opened();
    const first = await row();
    expect(first).toHaveTextContent(
      'connected, version 2.42.0 · 1,204 names in the last hour, 1 would be imported',
    );
    expect(first).toHaveTextContent(
      '21 names downsampled to 60 s: http_requests_total, queue_depth and 19 more',
    );
    expect(first).toHaveTextContent('range selectors are off');
    const second = screen.getByRole('listitem', { name: 'gone' });
    expect(second).toHaveTextContent('check failed');
    expect(second).toHaveTextContent('thanos did not answer within 10 seconds.');
    await expectAccessible(screen.getByRole('list', { name: 'Metric sources' }));
  });

  it('start and stop querying a service live, and show why a query was rejected', async () => {
    serve([aSource()]);
    const bound: ReadThrough = {
      id: 'r',
      source_id: ID,
      service: { id: 's', name: 'checkout' },
      environment: { id: 'e', name: 'production' },
      label_matchers: { job: 'checkout' },
      created_at: '2026-11-20T09:12:00Z',
    };
    let rows: ReadThrough[] = [];
    const sent: unknown[] = [];
    server.use(
      http.get(at('/metric-sources/:id/federated-services'), () => page(rows)),
      http.post(at('/metric-sources/:id/federated-services'), async ({ request }) => {
        sent.push(await request.json());
        if (sent.length === 1)
          return problem(409, { detail: 'checkout in production is federated already.' });
        rows = [bound];
        return HttpResponse.json(bound, { status: 201 });
      }),
      http.delete(at('/metric-sources/:id/federated-services/:bound'), ({ params }) => {
        sent.push(params.bound);
        rows = [];
        return new HttpResponse(null, { status: 204 });
      }),
    );
    const { user } = opened();
    await user.click(
      await screen.findByRole('button', { name: 'Query live Production Prometheus' }),
    );
    const form = screen.getByRole('form', {
      name: 'Query a service live from Production Prometheus',
    });
    await user.type(within(form).getByRole('combobox', { name: /^Service/ }), 'checkout');
    expect(within(form).getByLabelText(/^Value/)).toHaveValue('checkout');
    await expectAccessible(form);
    const send = within(form).getByRole('button', { name: 'Query live' });
    await user.click(send);
    expect(await within(form).findByRole('alert')).toHaveTextContent('is federated already');
    await user.click(send);
    const list = await screen.findByRole('list', {
      name: 'Queried live from Production Prometheus',
    });
    expect(list).toHaveTextContent('checkout in production');
    expect(list).toHaveTextContent('job=checkout');
    await expectAccessible(await row());
    await user.click(
      within(list).getByRole('button', { name: 'Stop querying checkout in production live' }),
    );
    await waitFor(() => expect(screen.queryByText('job=checkout')).toBeNull());
    const words = {
      service: 'checkout',
      environment: 'production',
      label_matchers: { job: 'checkout' },
    };
    expect(sent).toEqual([words, words, 'r']);
  });

  it('are added with credentials', async () => {
    serve();
    const sent: unknown[] = [];
    server.use(
      http.post(at('/metric-sources'), async ({ request }) => {
        sent.push(await request.json());
        serve([aSource()]);
        return HttpResponse.json(aSource(), { status: 201 });
      }),
    );
    const { user } = opened();
    await user.click(await screen.findByRole('button', { name: 'Add source' }));
    const form = await screen.findByRole('dialog', { name: 'New source' });
    await user.type(within(form).getByLabelText(/^Name/), 'Production Prometheus');
    await user.type(within(form).getByLabelText(/^URL/), 'https://prometheus.example/prometheus');
    await user.click(within(form).getByRole('combobox', { name: 'Credentials' }));
    await user.click(await screen.findByRole('option', { name: 'access token', hidden: true }));
    await user.type(within(form).getByLabelText(/^Access token/), 's3cret');
    await expectAccessible(form);
    await user.click(within(form).getByRole('button', { name: 'Add source' }));
    expect(await row()).toHaveTextContent('No imports yet.');
    expect(sent).toEqual([
      {
        name: 'Production Prometheus',
        url: 'https://prometheus.example/prometheus',
        credentials: { kind: 'bearer', token: 's3cret' },
      },
    ]);
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  it('show why a URL was rejected, with the limit and the resolution', async () => {
    serve();
    server.use(
      http.post(at('/metric-sources'), () =>
        problem(422, {
          type: 'urn:slowpath:address-not-public',
          title: 'This address is not asked',
          detail: 'The address does not lie in the public internet.',
          limit: 2_000,
          value: 2_410,
          unit: 'characters',
          resolution: 'The operator can list the host or its range in SLOWPATH_EGRESS_ALLOWLIST.',
        }),
      ),
    );
    const { user } = opened();
    await user.click(await screen.findByRole('button', { name: 'Add source' }));
    const form = await screen.findByRole('dialog');
    await user.type(within(form).getByLabelText(/^Name/), 'inside');
    await user.type(within(form).getByLabelText(/^URL/), 'http://10.0.0.7:9090');
    await user.click(within(form).getByRole('button', { name: 'Add source' }));
    const alert = await within(form).findByRole('alert');
    expect(alert).toHaveTextContent('The address does not lie in the public internet.');
    expect(alert).toHaveTextContent('SLOWPATH_EGRESS_ALLOWLIST');
    expect(alert).toHaveTextContent('limit 2,000 characters, here 2,410');
    expect(within(form).getByLabelText(/^URL/)).toHaveValue('http://10.0.0.7:9090');
  });

  it('keep credentials for the same host, and require them again for another host', async () => {
    serve([aSource()]);
    const sent: unknown[] = [];
    server.use(
      http.patch(at('/metric-sources/:id'), async ({ request }) => {
        sent.push(await request.json());
        return HttpResponse.json(aSource());
      }),
    );
    const { user } = opened();
    const edit = 'Edit Production Prometheus';
    await user.click(await screen.findByRole('button', { name: edit }));
    let form = await screen.findByRole('dialog', { name: edit });
    const address = within(form).getByLabelText(/^URL/);
    await user.type(address, '/two');
    expect(within(form).queryByLabelText(/^Access token/)).toBeNull();
    await user.click(within(form).getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await user.click(screen.getByRole('button', { name: edit }));
    form = await screen.findByRole('dialog', { name: edit });
    await user.clear(within(form).getByLabelText(/^URL/));
    await user.type(within(form).getByLabelText(/^URL/), 'https://thanos.example');
    expect(
      within(form).getByText(/The URL has another host\. Enter the credentials/),
    ).toBeInTheDocument();
    await user.type(within(form).getByLabelText(/^Access token/), 'other');
    await user.click(within(form).getByRole('button', { name: 'Save' }));
    await waitFor(() => {
      expect(sent).toEqual([
        {
          name: 'Production Prometheus',
          url: 'https://prometheus.example/prometheus/two',
        },
        {
          name: 'Production Prometheus',
          url: 'https://thanos.example',
          credentials: { kind: 'bearer', token: 'other' },
        },
      ]);
    });
  });

  it('show the version and the recognized metrics after a check, or why it failed', async () => {
    serve([aSource()]);
    let answers = true;
    server.use(
      http.post(at('/metric-sources/:id/check'), () =>
        answers
          ? HttpResponse.json({
              version: '3.1.0',
              names: 1_204,
              recognized_names: ['http_requests_total', 'up'],
            })
          : problem(503, {
              title: 'The address did not answer',
              detail: 'prometheus.example did not answer within 10 seconds.',
              limit: 10,
            }),
      ),
    );
    const { user } = opened();
    const check = await screen.findByRole('button', { name: 'Check Production Prometheus' });
    await user.click(check);
    expect(
      await screen.findByText(
        'connected, version 3.1.0 · 1,204 names in the last hour, 2 would be imported',
      ),
    ).toBeInTheDocument();
    expect(screen.getByText('http_requests_total, up')).toBeInTheDocument();
    answers = false;
    await user.click(check);
    expect(await screen.findByRole('alert')).toHaveTextContent('did not answer within 10 seconds');
  });

  it('import a time range with its progress, and show that the import was cancelled', async () => {
    serve([aSource()]);
    const sent: { from: string; to: string }[] = [];
    const job = aJob({
      name: 'metric-sources.import',
      subject: { kind: 'metric_source', id: ID },
      progress: 0.42,
      step: 'importing http_requests_total',
    });
    let jobs = [job];
    server.use(
      http.post(at('/metric-sources/:id/imports'), async ({ request }) => {
        sent.push((await request.json()) as { from: string; to: string });
        server.use(http.get(at('/jobs'), () => page(jobs)));
        return HttpResponse.json({ job_id: job.id, from_ms: 0, to_ms: 1 }, { status: 202 });
      }),
      http.post(at('/jobs/:id/cancel'), () => {
        jobs = [];
        serve([
          aSource({
            last_import: {
              ...ENDED,
              state: 'cancelled',
              skipped: [],
              detail: 'It was cancelled; samples imported before stay.',
            },
          }),
        ]);
        return HttpResponse.json({ ...job, cancel_requested: true });
      }),
    );
    const { user } = opened();
    await user.click(await screen.findByRole('button', { name: 'Import Production Prometheus' }));
    const form = screen.getByRole('form', { name: 'Import from Production Prometheus' });
    await expectAccessible(form);
    await user.click(within(form).getByRole('radio', { name: '7 d' }));
    await user.click(within(form).getByRole('button', { name: 'Start import' }));
    expect(
      await screen.findByRole('progressbar', {
        name: 'Import from Production Prometheus, 42%',
      }),
    ).toHaveAttribute('aria-valuenow', '42');
    expect(Date.parse(sent[0]!.to) - Date.parse(sent[0]!.from)).toBe(7 * 86_400_000);
    expect(await row()).toHaveTextContent('importing http_requests_total');
    expect(screen.getByRole('button', { name: 'Delete Production Prometheus' })).toBeDisabled();
    await expectAccessible(await row());
    await user.click(
      screen.getByRole('button', { name: 'Cancel the import from Production Prometheus' }),
    );
    expect(await screen.findByText(/It was cancelled/)).toBeInTheDocument();
    expect(screen.queryByRole('progressbar')).toBeNull();
  });

  it('show why an import was rejected, and that the end must be later than the start', async () => {
    serve([aSource()]);
    server.use(
      http.post(at('/metric-sources/:id/imports'), () =>
        problem(422, {
          detail: 'The time range is older than the retention of 30 days.',
          limit: 30,
          unit: 'days',
          resolution: 'Choose a later time range, or extend the retention of samples.',
        }),
      ),
    );
    const { user } = opened();
    await user.click(await screen.findByRole('button', { name: 'Import Production Prometheus' }));
    await user.click(screen.getByRole('radio', { name: 'from – to' }));
    const begin = screen.getByRole('button', { name: 'Start import' });
    expect(begin).toBeDisabled();
    await user.type(screen.getByLabelText(/^From, UTC/), '2026-01-02T00:00');
    await user.type(screen.getByLabelText(/^To, UTC/), '2026-01-01T00:00');
    expect(screen.getByText('Must be later')).toBeInTheDocument();
    await user.clear(screen.getByLabelText(/^To, UTC/));
    await user.type(screen.getByLabelText(/^To, UTC/), '2026-01-03T00:00');
    await user.click(begin);
    const alert = await screen.findByRole('alert');
    expect(alert).toHaveTextContent('The time range is older than the retention');
    expect(alert).not.toHaveTextContent('limit'); // The sentence already states the limit.
  });

  it('are deleted after confirmation', async () => {
    serve([aSource()]);
    const gone: unknown[] = [];
    server.use(
      http.delete(at('/metric-sources/:id'), ({ params }) => {
        gone.push(params.id);
        serve();
        return new HttpResponse(null, { status: 204 });
      }),
    );
    const { user } = opened();
    await user.click(await screen.findByRole('button', { name: 'Delete Production Prometheus' }));
    expect(gone).toEqual([]);
    const asked = await screen.findByRole('dialog', { name: 'Delete Production Prometheus?' });
    expect(asked).toHaveTextContent('Deletes its credentials too. Imported samples stay.');
    await user.click(within(asked).getByRole('button', { name: 'Delete metric source' }));
    expect(
      await screen.findByText(/No metric sources yet\. Add a Prometheus, Thanos/),
    ).toBeInTheDocument();
    expect(gone).toEqual([ID]);
  });

  it('are linked from their imports in the job list', async () => {
    serve([aSource()]);
    const job = aJob({ name: 'metric-sources.import', subject: { kind: 'metric_source', id: ID } });
    server.use(http.get(at('/jobs'), () => page([job])));
    const { user } = open('/t/northwind/jobs');
    expect(await screen.findByText('Import history')).toBeInTheDocument();
    await user.click(screen.getByRole('link', { name: 'a source' }));
    expect(await row()).toHaveTextContent('40%');
  });

  it.each(['viewer', 'member'] as const)('are listed without actions for a %s', async (role) => {
    const session = aSession();
    server.use(
      http.get(at('/session'), () =>
        HttpResponse.json({ ...session, teams: session.teams.map((team) => ({ ...team, role })) }),
      ),
    );
    serve([aSource({ last_import: ENDED })]);
    opened();
    expect(await row()).toHaveTextContent('12 names');
    expect(within(await row()).queryByRole('button')).toBeNull();
    expect(screen.queryByRole('button', { name: 'Add source' })).toBeNull();
  });
});
