import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { MetricRule, Recognised } from '../../../api';
import { at, page, problem, server } from '../../../testing/mock-api';
import { enter, show } from '../../../testing/render';
import { ListSearchContext } from '../../../ui/list-search-context';
import MetricsSettings from './MetricsSettings';

const aName = (changed: Partial<Recognised> = {}): Recognised => ({
  name: 'http_seconds',
  kind: 'histogram',
  series: 1200,
  services: 3,
  role: 'latency',
  reason: 'known',
  reason_code: 'by-name',
  service_id: null,
  environment_id: null,
  ...changed,
});

const aRule = (changed: Partial<MetricRule> = {}): MetricRule =>
  ({
    id: 'r1',
    metric: 'queue_wait_ms',
    role: 'latency',
    label_matchers: {},
    service: null,
    service_label: null,
    seconds_per_unit: 0.001,
    title: null,
    created_at: '2026-11-18T14:00:00Z',
    ...changed,
  }) as MetricRule;

type Search = Record<string, string>;
type Served = { names?: Recognised[]; rules?: MetricRule[]; more?: boolean };

function serve({ names = [aName()], rules = [], more = false }: Served = {}) {
  server.use(
    http.get(at('/metrics/names'), () =>
      HttpResponse.json({ items: names, series: 1248, max_series: 100_000, has_more: more }),
    ),
    http.get(at('/metric-rules'), () => page(rules)),
  );
}

function open(may: { mayWrite?: boolean; mayManage?: boolean } = {}, search: Search = {}) {
  const team = { id: 't1', mayWrite: true, mayManage: true, ...may };
  return show(
    <ListSearchContext value={{ search, onSearch: () => undefined }}>
      <MetricsSettings team={team} settingsLink={(_, words) => <a href="/x">{words}</a>} />
    </ListSearchContext>,
  );
}

function record(method: 'post' | 'patch' | 'delete', path: string, answer: () => Response) {
  const sent: unknown[] = [];
  server.use(
    http[method](at(path), async ({ request }) => {
      sent.push(await request.json().catch(() => null));
      return answer();
    }),
  );
  return sent;
}

describe('MetricsSettings metric names', () => {
  it.each<[Search, string[]]>([
    [{}, ['http_seconds', 'queue_ms']],
    [{ 'metrics-role': 'latency' }, ['http_seconds']],
    [{ 'metrics-role': 'ignored' }, ['queue_ms']],
    [{ 'metrics-q': 'UNKNOWN' }, ['queue_ms']],
    [{ 'custom-rules-q': 'none' }, ['http_seconds', 'queue_ms']],
  ])('are counted, and filtered by %j', async (search, expected) => {
    serve({ names: [aName(), aName({ name: 'queue_ms', role: null, reason: 'unknown' })] });
    open({}, search);
    expect(await screen.findByText('2 names, 1,248 of at most 100,000 series')).toBeInTheDocument();
    const table = screen.getByRole('table', { name: 'Metrics' });
    const names = () =>
      within(table)
        .queryAllByText(/_(ms|seconds)$/)
        .map((cell) => cell.textContent);
    expect(names()).toEqual(expected);
  });

  it('are counted as shown if there are more, with a singular for one', async () => {
    serve({ more: true });
    open();
    expect(await screen.findByText(/^1 name shown, /)).toBeInTheDocument();
  });

  it('are replaced by an error if they cannot be loaded, until Try again succeeds', async () => {
    serve();
    let failing = true;
    server.use(
      http.get(at('/metrics/names'), () =>
        failing
          ? problem(403, { title: 'Refused', detail: 'Not a member.' })
          : HttpResponse.json({ items: [], series: 0, max_series: 9, has_more: false }),
      ),
    );
    const { user } = open();
    expect(await screen.findByRole('alert')).toHaveTextContent('Could not load metrics');
    failing = false;
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByText('No metrics received yet.')).toBeInTheDocument();
  });
});

describe('MetricsSettings custom rules', () => {
  it('are listed with label matchers, role and service, without actions for viewers', async () => {
    serve({
      rules: [
        aRule({ label_matchers: { stage: 'write' }, service: 'ingester' }),
        aRule({ id: 'r2', metric: 'depth', role: 'gauge', service_label: 'component' }),
        aRule({ id: 'r3', metric: 'noise', role: 'ignore' }),
      ],
    });
    open({ mayWrite: false });
    const table = await screen.findByRole('table', { name: 'Custom rules' });
    const rows = within(table).getAllByRole('row').slice(1);
    expect(rows.map(({ textContent }) => textContent)).toEqual([
      'queue_wait_msstage="write"latencyingester',
      'depthanygaugelabel component',
      'noiseanyignoredFrom labels',
    ]);
    expect(screen.queryByRole('button', { name: /^Delete|^Add rule/ })).not.toBeInTheDocument();
  });

  it('are sent with their unit, but not with invalid label matchers', async () => {
    serve();
    const sent = record('post', '/metric-rules', () => HttpResponse.json(aRule(), { status: 201 }));
    const { user } = open();
    await enter(user, await screen.findByLabelText('Metric'), 'queue_wait_ms');
    await user.click(screen.getByRole('combobox', { name: 'Unit' }));
    await user.click(await screen.findByRole('option', { name: 'milliseconds', hidden: true }));
    const labels = screen.getByLabelText('Label matchers');
    await enter(user, labels, 'stage');
    expect(screen.getByRole('button', { name: 'Add rule' })).toBeDisabled();
    expect(labels).toBeInvalid();
    await enter(user, labels, '=write');
    await user.click(screen.getByRole('button', { name: 'Add rule' }));
    await waitFor(() => expect(sent).toHaveLength(1));
    expect(sent[0]).toMatchObject({
      metric: 'queue_wait_ms',
      role: 'latency',
      label_matchers: { stage: 'write' },
      seconds_per_unit: 0.001,
      title: null,
    });
    await waitFor(() => expect(screen.getByLabelText('Metric')).toHaveValue(''));
  });

  it('have a name instead of a unit for a gauge', async () => {
    serve();
    const sent = record('post', '/metric-rules', () => HttpResponse.json(aRule(), { status: 201 }));
    const { user } = open();
    await enter(user, await screen.findByLabelText('Metric'), 'depth');
    const form = screen.getByLabelText('Metric').closest('form')!;
    await user.click(within(form).getByRole('combobox', { name: 'Role' }));
    await user.click(await screen.findByRole('option', { name: 'a gauge', hidden: true }));
    expect(screen.queryByRole('combobox', { name: 'Unit' })).not.toBeInTheDocument();
    await enter(user, screen.getByLabelText('Name'), ' queue depth ');
    await user.click(screen.getByRole('button', { name: 'Add rule' }));
    await waitFor(() => expect(sent).toHaveLength(1));
    expect(sent[0]).toMatchObject({ role: 'gauge', title: 'queue depth', seconds_per_unit: 1 });
  });

  it('stay in the form with the reason when the server rejects them', async () => {
    serve();
    record('post', '/metric-rules', () =>
      problem(422, { title: 'Invalid', detail: 'No such service.' }),
    );
    const { user } = open();
    await enter(user, await screen.findByLabelText('Metric'), 'depth');
    await user.click(screen.getByRole('button', { name: 'Add rule' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('Could not save the rule');
    expect(screen.getByLabelText('Metric')).toHaveValue('depth');
  });
});

describe('MetricsSettings retention', () => {
  it('shows which samples will be deleted, with a singular for one day', async () => {
    serve();
    const { user } = open();
    const days = await screen.findByLabelText('Days');
    expect(screen.getByRole('button', { name: 'Save' })).toBeDisabled();
    await user.clear(days);
    await user.type(days, '1');
    expect(screen.getByText('Samples older than 1 day will be deleted.')).toBeInTheDocument();
  });

  it('can be cleared and entered again, but not saved while empty', async () => {
    serve();
    const sent = record('patch', '/metrics/settings', () => HttpResponse.json({}));
    const { user } = open();
    const days = await screen.findByLabelText('Days');
    await user.clear(days);
    await user.type(days, '14');
    await user.clear(days);
    expect(days).toHaveValue('');
    expect(screen.getByRole('button', { name: 'Save' })).toBeDisabled();
    await user.type(days, '7');
    await user.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(sent).toEqual([{ retention_days: 7 }]));
  });

  it('is disabled with a reason for members who are not admins', async () => {
    serve();
    open({ mayManage: false });
    expect(await screen.findByLabelText('Days')).toBeDisabled();
    expect(screen.getByRole('button', { name: 'Save' })).toHaveAttribute(
      'title',
      'Only admins can change retention',
    );
  });
});
