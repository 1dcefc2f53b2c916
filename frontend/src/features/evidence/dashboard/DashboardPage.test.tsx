import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { useState } from 'react';
import { describe, expect, it, vi } from 'vitest';
import { readDashboard } from '../../../engine/dashboard/dashboard-file';
import { aDashboard, serviceId, type DrawnDashboard } from '../../../testing/dashboard-fixtures';
import { at, problem, server } from '../../../testing/mock-api';
import { show } from '../../../testing/render';
import DashboardPage from './DashboardPage';
import { DEFAULT_DASHBOARD_VIEW, type DashboardView } from './dashboard-url';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const row = (name: string) =>
  screen.findByRole('heading', { level: 2, name }).then((head) => head.closest('li')!);
const button = (name: string | RegExp) => screen.findByRole('button', { name });

type Shown = { view?: Partial<DashboardView>; mayWrite?: boolean };

/** Serves the dashboard that `drawn` returns for a request, and returns the recorded requests. */
function serve(drawn: DrawnDashboard | ((asked: URLSearchParams) => DrawnDashboard) = {}) {
  const asked: URLSearchParams[] = [];
  server.use(
    http.get(at('/dashboard'), ({ request }) => {
      const query = new URL(request.url).searchParams;
      asked.push(query);
      return HttpResponse.arrayBuffer(
        aDashboard(typeof drawn === 'function' ? drawn(query) : drawn),
      );
    }),
  );
  return asked;
}

function Page({ view: first, mayWrite = true, onView }: Shown & { onView: (v: object) => void }) {
  const [view, setView] = useState({ ...DEFAULT_DASHBOARD_VIEW, ...first });
  return (
    <DashboardPage
      team={{ id: 't1', mayWrite, mayManage: mayWrite }}
      view={view}
      onView={(next) => {
        onView(next);
        setView(next);
      }}
      onComparison={vi.fn()}
      settingsLink={(tab, words) => <a href={`/settings/${tab}`}>{words}</a>}
      links={{
        files: (words) => <a href="/artifacts">{words}</a>,
        sides: (_, candidate, words) => <a href={`/compare/${candidate}`}>{words}</a>,
      }}
      mapLink={(id, words) => <a href={`/map/${id}`}>{words}</a>}
    />
  );
}

function open(shown: Shown = {}) {
  const onView = vi.fn<(view: object) => void>();
  return { ...show(<Page {...shown} onView={onView} />), onView };
}

/** Replaces fields of the row of one service. */
const withRow = (index: number, changed: object): DrawnDashboard => {
  const { rows } = readDashboard(aDashboard());
  return {
    header: { rows: rows.map((each, at) => (at === index ? { ...each, ...changed } : each)) },
  };
};

describe('DashboardPage settings', () => {
  it('request the selected environment', async () => {
    const asked = serve();
    const { user } = open();
    await user.click(await screen.findByRole('combobox', { name: 'Environment' }));
    await user.click(await screen.findByRole('option', { name: 'staging', hidden: true }));
    await waitFor(() =>
      expect(asked.at(-1)?.get('environment_id')).toBe('00000000-0000-4000-8000-000000000901'),
    );
  });

  it('keep the last latency quantile selected', async () => {
    serve();
    const { user, onView } = open({ view: { quantiles: ['p50', 'p99'] } });
    const p50 = await button('p50');
    const p99 = await button('p99, with bucket band');
    expect(await button('p90')).toHaveAttribute('aria-pressed', 'false');
    await user.click(p50);
    expect(onView).toHaveBeenLastCalledWith(expect.objectContaining({ quantiles: ['p99'] }));
    expect(p50).toHaveAttribute('aria-pressed', 'false');
    await user.click(p99);
    expect(onView).toHaveBeenCalledOnce();
    expect(p99).toHaveAttribute('aria-pressed', 'true');
  });

  it('request the series of each instance with p99 of instances', async () => {
    const asked = serve((query) => ({ instances: query.get('instances') === 'true' }));
    const { user } = open();
    const instances = await button('p99 of instances');
    expect(asked[0]?.get('instances')).toBe('false');
    await user.click(instances);
    await waitFor(() => expect(asked.at(-1)?.get('instances')).toBe('true'));
    expect(await button('p99 of instances')).toHaveAttribute('aria-pressed', 'true');
  });

  it('split the latency of a service by a label, and remove the split', async () => {
    const asked = serve((query) => ({ split: query.get('split_service') ?? '' }));
    const { user } = open();
    await user.click(await button('Split the latency of distributor by a label'));
    await user.click(
      await screen.findByRole('menuitem', { name: 'route (5 values)', hidden: true }),
    );
    expect(
      await screen.findByRole('img', { name: 'p99 of distributor by route: /push, 4 others' }),
    ).toBeInTheDocument();
    expect(asked.at(-1)?.get('split_label')).toBe('route');
    await user.click(await button('Do not split distributor by route'));
    expect(
      await screen.findByRole('img', { name: 'Latency of distributor: p99' }),
    ).toBeInTheDocument();
  });

  it('show a quantile with a change point although it is not selected', async () => {
    serve();
    open({ view: { quantiles: ['p50'] } });
    expect(
      await screen.findByRole('img', { name: 'Latency of distributor: p50, p99' }),
    ).toBeInTheDocument();
  });

  it('show why there is no time shift', async () => {
    serve({ header: { time_shift_reason: 'No samples a week before.' } });
    open({ view: { against: 'week' } });
    expect(await screen.findByText('No samples a week before.')).toBeInTheDocument();
  });

  it('double a fixed range with Zoom out, and return to the last 4 h with Live', async () => {
    const toMs = Date.now() - 10 * DAY;
    serve({ toMs, header: { now_ms: Date.now() } });
    const { user, onView } = open({ view: { range: { fromMs: toMs - 60 * MINUTE, toMs } } });
    await user.click(await button('Zoom out'));
    expect(onView).toHaveBeenLastCalledWith(
      expect.objectContaining({
        range: { fromMs: toMs - 90 * MINUTE, toMs: toMs + 30 * MINUTE },
      }),
    );
    await user.click(await button('Live'));
    expect(onView).toHaveBeenLastCalledWith(expect.objectContaining({ range: '4h' }));
  });
});

describe('DashboardPage delay', () => {
  it('is measured with the clock of the server, not of the browser', async () => {
    serve({ toMs: Date.now() - 60 * MINUTE });
    open();
    expect(await screen.findByText(/^live, 1\d s behind$/)).toBeInTheDocument();
  });

  it('is not shown as live if no sample was received for minutes', async () => {
    const now = Date.now();
    serve({ toMs: now, header: { newest_ms: now - 10 * MINUTE } });
    open();
    expect(await screen.findByText('no new samples, 10 min behind')).toBeInTheDocument();
  });

  it('is omitted if no sample was ever received', async () => {
    serve({ toMs: Date.now(), header: { newest_ms: null } });
    open();
    expect(await screen.findByText('no new samples')).toBeInTheDocument();
  });
});

describe('DashboardPage row', () => {
  it('shows the newest values with their units above its panels', async () => {
    serve();
    open();
    const gateway = await row('gateway');
    expect(gateway).toHaveTextContent(/Requests per secondnewest values\d+ \/s4xx [\d.]+5xx /);
    expect(gateway).toHaveTextContent(/Latencynewest valuesp50 [\d.]+p90 \d+p99 \d+ ms/);
  });

  it('shows only the quantile with an increase in color', async () => {
    const [change] = readDashboard(aDashboard()).changes;
    serve({ header: { changes: [{ ...change!, signal: 'p90' }] } });
    open();
    const coloured = (await row('distributor')).querySelectorAll('b.more');
    expect([...coloured].map(({ parentElement }) => parentElement?.textContent)).toEqual([
      expect.stringMatching(/^p90 /),
    ]);
  });

  it('shows why a panel is empty', async () => {
    serve(
      withRow(2, {
        requests: { found: false, reason: 'no counter is classified' },
        latency: { histogram: 'none', reason: null },
      }),
    );
    open();
    const ingester = await row('ingester');
    expect(ingester).toHaveTextContent('No request metric: no counter is classified');
    expect(within(ingester).getByText('No latency metric')).toBeInTheDocument();
  });

  it('shows an unknown build, one instance, and the source that is queried live', async () => {
    const source = { id: 's', name: 'Thanos', step_ms: 15_000, problem: null };
    serve(withRow(0, { source, build: null, instances: 1 }));
    open();
    const gateway = await row('gateway');
    expect(gateway).toHaveTextContent('build unknown1 instancequeried live Thanos, every 15 s');
  });

  it('shows that the live query of its source failed', async () => {
    serve(withRow(0, { source: { id: 's', name: 'Thanos', step_ms: null, problem: 'refused' } }));
    open();
    expect(await row('gateway')).toHaveTextContent(/live query failed: Thanos(?!, every)/);
  });

  it('shows the calls per request to the first two callees, and the number of the rest', async () => {
    const edge = (to: number) => ({ caller: serviceId(0), callee: serviceId(to), ratio: to });
    serve({ header: { edges: [edge(1), edge(2), edge(3), edge(4)] } });
    open();
    expect(await row('gateway')).toHaveTextContent(
      '×1.00 to distributor×2.00 to ingesterand 2 more',
    );
  });

  it('is shown alone, and with all others again', async () => {
    serve();
    const { user } = open();
    await user.click(await button('Show distributor alone'));
    expect(await screen.findAllByRole('heading', { level: 2 })).toHaveLength(1);
    expect(screen.queryByRole('button', { name: /^Move / })).not.toBeInTheDocument();
    await user.click(await button('Show all services'));
    expect(await screen.findAllByRole('heading', { level: 2 })).toHaveLength(5);
  });

  it('shows values and the reason of a gap at the keyboard cursor until Escape', async () => {
    serve();
    const { user } = open();
    const store = await row('store');
    const newest = store.textContent;
    within(store).getByRole('slider').focus();
    await user.keyboard('{Home}');
    const slider = within(store).getByRole('slider');
    const values = () => slider.getAttribute('aria-valuetext');
    for (let at = 0; at < 20 && !values()?.includes('– requests'); at += 1) {
      await user.keyboard('{PageDown}');
      await new Promise(requestAnimationFrame);
    }
    expect(values()).toContain('store: – requests per second');
    const reasons = [...store.querySelectorAll('.why')].map(({ textContent }) => textContent);
    expect(reasons).toEqual(['no data: scrape failed', 'no data: scrape failed']);
    await user.keyboard('{Escape}');
    await waitFor(() => expect(store.textContent).toBe(newest));
    expect(slider).toHaveAttribute('aria-valuetext', 'no time selected');
  });
});

describe('DashboardPage order of rows', () => {
  it.each([
    ['name', 'By name', 'Services by name'],
    ['spans', 'In request order', 'Services in request order'],
    ['manual', 'In custom order', 'Services in custom order'],
  ])('is named on the page and in the label of the list: %s', async (order_source, head, list) => {
    serve({ header: { order_source } });
    open();
    expect(await screen.findByText(head)).toBeInTheDocument();
    expect(screen.getByRole('list', { name: list })).toBeInTheDocument();
  });

  it('is reset with the reason when it cannot be saved', async () => {
    serve();
    server.use(
      http.put(at('/environments/:id/service-order'), () =>
        problem(409, { title: 'Conflict', detail: 'Changed meanwhile.' }),
      ),
    );
    const { user } = open();
    (await button(/^Move distributor, row 2/)).focus();
    await user.keyboard('{ArrowUp}');
    const alert = await screen.findByRole('alert');
    expect(alert).toHaveTextContent('Could not save the service order');
    expect(alert).toHaveTextContent('Changed meanwhile.');
    expect(await button(/^Move distributor, row 2/)).toBeInTheDocument();
    expect(screen.getByText('In request order')).toBeInTheDocument();
  });

  it('does not change when the first row is moved up', async () => {
    serve();
    const { user } = open();
    (await button(/^Move gateway, row 1/)).focus();
    await user.keyboard('{ArrowUp}');
    expect(screen.getByText('In request order')).toBeInTheDocument();
    expect(screen.queryByText(/ is row /)).not.toBeInTheDocument();
  });
});

describe('DashboardPage comparison of time ranges', () => {
  it('rejects a first range of more than 7 days', async () => {
    serve({ points: 720, stepMs: 1_200_000 });
    const { user } = open({ view: { range: '7d' } });
    await user.click(await button('Compare time ranges'));
    within(await row('gateway'))
      .getByRole('slider')
      .focus();
    await user.keyboard('{Home}{Shift>}{End}{/Shift}{Enter}');
    const bar = screen.getByRole('group', { name: 'Compare two time ranges' });
    expect(bar).toHaveTextContent('at most 7 days long. Choose a shorter one.');
    expect(bar).toHaveTextContent('Drag over a time range in the row of a service.');
    expect(screen.queryByRole('button', { name: 'Previous period' })).not.toBeInTheDocument();
    await user.click(await button('Cancel'));
    expect(bar).not.toBeInTheDocument();
  });

  it('rejects a service without a latency histogram, and names it', async () => {
    serve(withRow(0, { latency: { histogram: 'mean', reason: null } }));
    const { user } = open();
    await user.click(await button('Compare time ranges'));
    within(await row('gateway'))
      .getByRole('slider')
      .focus();
    await user.keyboard('{Home}{Shift>}{PageDown}{/Shift}{Enter}');
    expect(await screen.findByRole('group', { name: /^Compare two/ })).toHaveTextContent(
      'gateway: No latency histogram is received.',
    );
  });

  it('is not offered to viewers', async () => {
    serve();
    open({ mayWrite: false });
    await row('gateway');
    expect(screen.queryByRole('button', { name: 'Compare time ranges' })).not.toBeInTheDocument();
  });
});

describe('DashboardPage without rows', () => {
  const empty = (code: string) => ({
    empty: 'x',
    header: { empty: { code, reason: 'No samples in this time range.' } },
  });

  it('offers a longer range if samples are older', async () => {
    serve(empty('nothing-in-range'));
    const { user, onView } = open();
    expect(screen.queryByText('Send metrics to Slowpath')).not.toBeInTheDocument();
    await user.click(await button('Show 7 days'));
    expect(onView).toHaveBeenLastCalledWith(expect.objectContaining({ range: '7d' }));
    expect(screen.queryByText(/, \d+ s behind$/)).not.toBeInTheDocument();
  });

  it('links to the metric classification, and offers viewers no new token', async () => {
    serve(empty('not-recognised'));
    open({ mayWrite: false });
    expect(await screen.findByRole('link', { name: 'Show metric classification' })).toHaveAttribute(
      'href',
      '/settings/metrics',
    );
    expect(screen.getByText(/^Use one of/)).toHaveTextContent(
      'Use one of your API tokens with the upload scope',
    );
    expect(screen.queryByRole('button', { name: /^Create a token/ })).not.toBeInTheDocument();
  });

  it('shows why no token could be created', async () => {
    serve(empty('no-metrics'));
    server.use(
      http.post(at('/teams/:team/tokens'), () =>
        problem(403, { title: 'Refused', detail: 'Too many tokens.' }),
      ),
    );
    const { user } = open();
    await user.click(await button('Create a token for this snippet'));
    const alert = await screen.findByRole('alert');
    expect(alert).toHaveTextContent('Could not create a token');
    expect(alert).toHaveTextContent('Too many tokens.');
  });
});

describe('DashboardPage error', () => {
  it('is shown if the dashboard cannot be loaded, and disappears when Try again succeeds', async () => {
    let failing = true;
    server.use(
      http.get(at('/dashboard'), () =>
        failing
          ? problem(422, { title: 'Invalid', detail: 'The range is too long.' })
          : HttpResponse.arrayBuffer(aDashboard()),
      ),
    );
    const { user } = open();
    expect(await screen.findByRole('alert')).toHaveTextContent('Could not load the dashboard');
    failing = false;
    await user.click(await button('Try again'));
    await row('gateway');
    expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  });
});
