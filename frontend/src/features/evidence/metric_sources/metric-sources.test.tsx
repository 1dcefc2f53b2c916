import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { Job, MetricSource } from '../../../api';
import { aJob } from '../../../testing/api-factories';
import { at, page, problem, server } from '../../../testing/mock-api';
import { enter, show } from '../../../testing/render';
import { FederatedServiceForm } from './FederatedServices';
import { ImportForm } from './ImportForm';
import { LastImport, RunningImport } from './ImportStatus';
import MetricSources from './MetricSources';
import { checkText, coarserText, importedText, rangeOf, stepText } from './metric-source-wording';

const aSource = (changed: Partial<MetricSource> = {}): MetricSource => ({
  id: 'p1',
  name: 'Prometheus',
  url: 'https://prometheus.example',
  credentials: 'none',
  last_import: null,
  last_check: null,
  created_at: '2026-11-20T09:12:00Z',
  ...changed,
});

type Ended = NonNullable<MetricSource['last_import']>;
const ended = (changed: Partial<Ended> = {}): Ended => ({
  state: 'done',
  from_ms: Date.UTC(2026, 10, 14, 9, 12),
  to_ms: Date.UTC(2026, 10, 21, 9, 12),
  names: 12,
  series: 1,
  samples: 1_204_000,
  ...changed,
});

const button = (name: string) => screen.findByRole('button', { name });

describe('ImportForm', () => {
  function openForm(answer: () => Response = () => HttpResponse.json(aJob(), { status: 202 })) {
    const sent: { from: string; to: string }[] = [];
    const done: string[] = [];
    server.use(
      http.post(at('/metric-sources/p1/imports'), async ({ request }) => {
        sent.push((await request.json()) as (typeof sent)[0]);
        return answer();
      }),
    );
    const shown = show(<ImportForm source={aSource()} onDone={() => done.push('done')} />);
    return { ...shown, sent, done };
  }
  const enter = (label: RegExp, value: string) =>
    fireEvent.change(screen.getByLabelText(label), { target: { value } });

  it('sends the selected range, which ends now', async () => {
    const { user, sent, done } = openForm();
    await user.click(screen.getByRole('radio', { name: '7 d' }));
    await user.click(await button('Start import'));
    await waitFor(() => expect(done).toEqual(['done']));
    const [{ from, to } = { from: '', to: '' }] = sent;
    expect(Date.parse(to) - Date.parse(from)).toBe(7 * 24 * 3_600_000);
    expect(Math.abs(Date.parse(to) - Date.now())).toBeLessThan(60_000);
  });

  it('sends the entered UTC times, and requires an end after the start', async () => {
    const { user, sent } = openForm();
    await user.click(screen.getByRole('radio', { name: 'from – to' }));
    const start = await button('Start import');
    expect(start).toBeDisabled();
    enter(/^From, UTC/, '2026-11-14T09:12');
    enter(/^To, UTC/, '2026-11-14T09:12');
    expect(screen.getByText('Must be later')).toBeInTheDocument();
    expect(start).toBeDisabled();
    enter(/^To, UTC/, '2026-11-15T00:00');
    expect(screen.queryByText('Must be later')).not.toBeInTheDocument();
    await user.click(start);
    await waitFor(() =>
      expect(sent).toEqual([{ from: '2026-11-14T09:12:00.000Z', to: '2026-11-15T00:00:00.000Z' }]),
    );
  });

  it('shows why the server rejected the import, and stays open', async () => {
    const { user, done } = openForm(() =>
      problem(422, { detail: 'At most 90 days.', resolution: 'Import it in parts.' }),
    );
    await user.click(await button('Start import'));
    const alert = await screen.findByRole('alert');
    expect(alert).toHaveTextContent('Could not start the import · At most 90 days.');
    expect(alert).toHaveTextContent('Import it in parts.');
    expect(done).toEqual([]);
    expect(screen.getByRole('form', { name: 'Import from Prometheus' })).toBeInTheDocument();
  });
});

describe('RunningImport', () => {
  const showJob = (job: Partial<Job>, mayManage = true) =>
    show(
      <RunningImport source={aSource()} job={aJob({ id: 'j1', ...job })} mayManage={mayManage} />,
    );

  it('shows progress and step, and cancels the job with one request', async () => {
    let count = 0;
    server.use(
      http.post(at('/jobs/j1/cancel'), () => {
        count += 1;
        return HttpResponse.json(aJob({ id: 'j1', cancel_requested: true }));
      }),
    );
    const { user } = showJob({ progress: 0.416, step: 'reading up' });
    expect(screen.getByText('42%')).toBeInTheDocument();
    expect(screen.getByText('reading up')).toBeInTheDocument();
    expect(screen.getByLabelText('Import from Prometheus, 42%')).toBeInTheDocument();
    await user.click(await button('Cancel the import from Prometheus'));
    await waitFor(() => expect(count).toBe(1));
  });

  it('disables Cancel after a cancellation, and hides it from viewers', () => {
    const { unmount } = showJob({ cancel_requested: true });
    expect(screen.getByRole('button', { name: /^Cancel/ })).toBeDisabled();
    expect(screen.getByText('cancelling')).toBeInTheDocument();
    unmount();
    showJob({}, false);
    expect(screen.queryByRole('button')).not.toBeInTheDocument();
  });

  it.each<[string, Partial<Job>]>([
    ['started', { state: 'running', step: '' }],
    ['waiting to start', { state: 'waiting', attempts: 0 }],
    ['waiting for attempt 2 of 5', { state: 'waiting', attempts: 1 }],
  ])('shows the step "%s"', (words, job) => expect(stepText(aJob(job))).toBe(words));
});

describe('LastImport', () => {
  it('shows the imported amounts, their time range, and what was skipped or downsampled', () => {
    show(
      <LastImport
        ended={ended({
          skipped: [{ metric: 'native-histogram', count: 1284, detail: 'No resolution.' }],
          downsampled: { count: 3, names: ['up', 'rps'], step_s: 60, reason: 'Too many points.' },
        })}
      />,
    );
    expect(screen.getByText('12 names, 1 series, 1,204,000 samples')).toBeInTheDocument();
    expect(screen.getByText('14 Nov 2026 09:12 to 21 Nov 2026 09:12 UTC')).toBeInTheDocument();
    expect(screen.getByRole('list', { name: 'Skipped' })).toHaveTextContent(
      'skipped 1,284 × native-histogram · No resolution.',
    );
    expect(screen.getByText(/^3 names downsampled to 60 s: up, rps and 1 more/)).toHaveTextContent(
      'Too many points.',
    );
  });

  it('shows why an import failed, without amounts', () => {
    show(<LastImport ended={ended({ state: 'failed', detail: 'The source answered 401.' })} />);
    expect(screen.getByText('import failed')).toBeInTheDocument();
    expect(screen.getByText('The source answered 401.')).toBeInTheDocument();
    expect(screen.queryByText(/samples/)).not.toBeInTheDocument();
  });

  it('reports that there is no import yet, or that no known metric names were found', () => {
    const { unmount } = show(<LastImport ended={null} />);
    expect(screen.getByText('No imports yet.')).toBeInTheDocument();
    unmount();
    expect(importedText(ended({ names: 0 }))).toBe('no known metric names found');
    expect(coarserText({ count: 1, names: ['up'], step_s: 3600, reason: '' })).toBe(
      '1 name downsampled to 3,600 s: up',
    );
  });
});

describe('FederatedServiceForm', () => {
  function openForm(answer: () => Response = () => HttpResponse.json({}, { status: 201 })) {
    const sent: unknown[] = [];
    const done: string[] = [];
    server.use(
      http.get(at('/services'), () => page([{ id: 's1', name: 'shop' }])),
      http.get(at('/environments'), () => page([{ id: 'e1', name: 'staging' }])),
      http.post(at('/metric-sources/p1/federated-services'), async ({ request }) => {
        sent.push(await request.json());
        return answer();
      }),
    );
    const shown = show(
      <FederatedServiceForm source={aSource()} onDone={() => done.push('done')} />,
    );
    return { ...shown, sent, done };
  }

  it('matches the label job with the name of the service by default', async () => {
    const { user, sent, done } = openForm();
    await enter(user, screen.getByLabelText(/^Service/, { selector: 'input' }), 'shop');
    expect(screen.getByLabelText(/^Value/)).toHaveValue('shop');
    expect(screen.getByLabelText(/^Environment/, { selector: 'input' })).toHaveValue('production');
    await user.click(await button('Query live'));
    await waitFor(() => expect(done).toEqual(['done']));
    expect(sent).toEqual([
      { service: 'shop', environment: 'production', label_matchers: { job: 'shop' } },
    ]);
  });

  it('keeps an entered value when the service changes, and shows why the server rejected it', async () => {
    const { user, sent } = openForm(() =>
      problem(409, { detail: 'It sends metrics already.', resolution: 'Stop sending first.' }),
    );
    await enter(user, screen.getByLabelText(/^Service/, { selector: 'input' }), 'shop');
    await user.clear(screen.getByLabelText(/^Label/));
    await enter(user, screen.getByLabelText(/^Label/), ' app ');
    await user.type(screen.getByLabelText(/^Value/), '-v2');
    await user.type(screen.getByLabelText(/^Service/, { selector: 'input' }), 's');
    await user.click(await button('Query live'));
    const alert = await screen.findByRole('alert');
    expect(alert).toHaveTextContent('Could not add the service · It sends metrics already.');
    expect(alert).toHaveTextContent('Stop sending first.');
    expect(sent).toMatchObject([{ service: 'shops', label_matchers: { app: 'shop-v2' } }]);
  });
});

describe('MetricSources', () => {
  it('shows viewers each source with its last check, without any action', async () => {
    server.use(
      http.get(at('/metric-sources'), () =>
        page([
          aSource({
            last_check: {
              at_ms: Date.UTC(2026, 10, 21),
              version: null,
              names: 0,
              recognized_names: [],
            },
          }),
        ]),
      ),
    );
    show(<MetricSources mayManage={false} />);
    const row = await screen.findByRole('listitem', { name: 'Prometheus' });
    expect(row).toHaveTextContent('no credentials');
    expect(within(row).getByRole('status')).toHaveTextContent(
      'connected, version unknown · 0 names in the last hour, none of them known',
    );
    expect(within(row).getByText('Add a rule to import other metrics.')).toBeInTheDocument();
    expect(screen.queryByRole('button')).not.toBeInTheDocument();
  });

  it('shows why the sources cannot be loaded', async () => {
    server.use(http.get(at('/metric-sources'), () => problem(403, { detail: 'Not readable.' })));
    show(<MetricSources mayManage />);
    expect(await screen.findByRole('alert')).toHaveTextContent(
      'Could not load the metric sources · Not readable.',
    );
    expect(screen.queryByText(/^No metric sources yet/)).not.toBeInTheDocument();
  });

  it('disables import and deletion of a source while an import is running', async () => {
    server.use(
      http.get(at('/metric-sources'), () => page([aSource()])),
      http.get(at('/jobs'), () =>
        page([aJob({ subject: { kind: 'metric_source', id: 'p1' }, progress: 0.4 })]),
      ),
    );
    show(<MetricSources mayManage />);
    await screen.findByText('40%');
    for (const name of ['Import Prometheus', 'Delete Prometheus']) {
      expect(await button(name)).toBeDisabled();
      expect(await button(name)).toHaveAttribute('title', 'An import is running');
    }
    expect(await button('Edit Prometheus')).toBeEnabled();
  });
});

describe('metric source wording', () => {
  it('checkText counts the names of a source, and those that would be imported', () => {
    expect(checkText({ version: '3.1', names: 1284, recognized_names: ['up', 'rps'] })).toBe(
      'connected, version 3.1 · 1,284 names in the last hour, 2 would be imported',
    );
  });

  it('rangeOf returns a time range that ends now', () => {
    expect(rangeOf('24h', Date.UTC(2026, 10, 21))).toEqual({
      from: '2026-11-20T00:00:00.000Z',
      to: '2026-11-21T00:00:00.000Z',
    });
  });
});
