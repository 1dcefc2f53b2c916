import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Deploy } from '../api';
import { rangesAround } from '../features/evidence/dashboard';
import {
  DEPLOY_ID,
  ENVIRONMENT,
  OTHER_DEPLOY_ID,
  aDashboard,
  serviceId,
  type DrawnDashboard,
} from '../testing/dashboard-fixtures';
import { anArtifact, aComparison, aSession } from '../testing/api-factories';
import { open } from '../testing/render';
import { at, page, problem, server } from '../testing/mock-api';

const HOSTILE = '<img src=x onerror=alert(1)>‮';

function serve(drawn: DrawnDashboard = {}) {
  const asked: URLSearchParams[] = [];
  server.use(
    http.get(at('/dashboard'), ({ request }) => {
      asked.push(new URL(request.url).searchParams);
      return HttpResponse.arrayBuffer(aDashboard(drawn));
    }),
  );
  return asked;
}

const deploymentOut = (changed: Partial<Deploy>): Deploy => ({
  id: DEPLOY_ID,
  service_id: serviceId(1),
  environment_id: ENVIRONMENT.id,
  build_id: 'build-after',
  commit: '5f3c1e8d00000000000000000000000000000000',
  label: null,
  started_at: '2026-11-18T14:02:00Z',
  ended_at: null,
  source: 'api',
  url: null,
  commits: [],
  created_at: '2026-11-18T14:02:00Z',
  ...changed,
});

/** Replaces the `IntersectionObserver`; the returned function makes a row visible. */
function watchRows() {
  type Watched = { onChange: IntersectionObserverCallback; rows: Set<Element> };
  const watchers = new Set<Watched>();
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      readonly #own: Watched;
      constructor(onChange: IntersectionObserverCallback) {
        this.#own = { onChange, rows: new Set() };
        watchers.add(this.#own);
      }
      observe(row: Element) {
        this.#own.rows.add(row);
      }
      disconnect() {
        watchers.delete(this.#own);
      }
    },
  );
  return (id: string) => {
    for (const { onChange, rows: watched } of watchers)
      for (const target of watched)
        if ((target as HTMLElement).dataset.row === id)
          onChange(
            [{ target, isIntersecting: true } as unknown as IntersectionObserverEntry],
            null as unknown as IntersectionObserver,
          );
  };
}

function serveDeployments() {
  const after = deploymentOut({});
  const before = deploymentOut({
    id: 'earlier',
    build_id: 'build-before',
    commit: '71aa09b300000000000000000000000000000000',
    started_at: '2026-11-17T09:00:00Z',
  });
  server.use(
    http.get(at('/deployments'), () => page([after, before])),
    http.get(at('/deployments/:id'), () => HttpResponse.json(after)),
  );
  return rangesAround(after, before, [after, before], Date.now());
}

const rows = async () => {
  // The code of the page is loaded when it is first shown.
  const list = await screen.findByRole(
    'list',
    { name: /^Services in (request|custom) order$/ },
    { timeout: 15_000 },
  );
  return within(list)
    .getAllByRole('heading', { level: 2 })
    .map((heading) => heading.textContent);
};

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('Dashboard', () => {
  it('shows the latency regression in the heading, and a row per service in request order', async () => {
    serve({ gauges: true });
    const { container } = open('/t/northwind/dashboard');
    expect(await rows()).toEqual(['gateway', 'distributor', 'ingester', 'querier', 'store']);
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent(
      'distributor p99 is 3.10 times as high since 14:02 UTC; caused by deployment 5f3c1e8d00, not by load',
    );
    expect(screen.getByRole('button', { name: 'Compare before and after' })).toBeEnabled();
    expect(
      screen.getByText('5f3c1e8d', { selector: '.serviceName ~ p .mono' }),
    ).toBeInTheDocument();
    expect(screen.getByTitle('Calls per request: ×3.00 to ingester')).toBeInTheDocument();
    expect(screen.getByText('12 instances')).toBeInTheDocument();
    expect(screen.getAllByText(/queue depth/)).toHaveLength(2);
    const strip = screen.getByRole('img', { name: 'queue depth of distributor' }).parentElement;
    expect(strip?.querySelectorAll('path[d$="V40"]'), 'deployments').not.toHaveLength(0);
    expect(container.querySelector('[data-hot]')).toHaveTextContent('distributor');
    expect(screen.getByRole('link', { name: 'Dashboard' })).toHaveAttribute('aria-current', 'page');
  });

  it('requests the time range and time shift of the address, and writes changes to it', async () => {
    const asked = serve({ against: true });
    const { user, where } = open(
      '/t/northwind/dashboard?from=2026-11-18T12:00:00Z&to=2026-11-18T16:00:00Z&against=week',
    );
    await rows();
    expect(asked[0]?.get('from')).toBe(String(Date.UTC(2026, 10, 18, 12)));
    expect(asked[0]?.get('time_shift')).toBe('week');
    expect(screen.getByText('last week', { selector: '.key' })).toBeInTheDocument();
    await user.click(screen.getByRole('radio', { name: '24 h' }));
    await waitFor(() => expect(where()).toContain('range=24h'));
    expect(where()).not.toContain('from=');
    await user.click(screen.getByRole('button', { name: 'mean' }));
    await user.click(screen.getByRole('radio', { name: 'linear' }));
    await waitFor(() => expect(where()).toMatch(/q=p99%2Cmean|q=p99,mean/u));
    expect(where()).toContain('scale=linear');
    await user.click(screen.getByRole('radio', { name: 'none' }));
    await waitFor(() => expect(where()).not.toContain('against'));
  });

  it('requests more rows when they become visible, with the same time step', async () => {
    const asked: URLSearchParams[] = [];
    server.use(
      http.get(at('/dashboard'), ({ request }) => {
        const query = new URL(request.url).searchParams;
        asked.push(query);
        const ids = query.getAll('services').map((id) => Number(id.slice(-4)) - 5000);
        const shown = ids.length > 0 ? ids : [0, 1, 2];
        return HttpResponse.arrayBuffer(aDashboard({ services: 12, shown }));
      }),
    );
    const inSight = watchRows();
    open('/t/northwind/dashboard?from=2026-11-18T12:00:00Z&to=2026-11-18T16:00:00Z');
    expect(await rows()).toHaveLength(12);
    expect(asked[0]?.get('rows')).toBe('24');
    expect(screen.getAllByText('loads when scrolled into view')).toHaveLength(9);
    expect(screen.getAllByRole('slider')).toHaveLength(3);
    inSight(serviceId(7));
    await waitFor(() =>
      expect(screen.getAllByText('loads when scrolled into view')).toHaveLength(4),
    );
    expect(asked).toHaveLength(2);
    expect(asked[1]?.getAll('services').slice(0, 2)).toEqual([serviceId(7), serviceId(8)]);
    expect(asked[1]?.get('step_ms')).toBe('20000');
    expect(screen.getAllByRole('slider')).toHaveLength(8);
  });

  it('moves the time cursor by keyboard, announces the values and zooms to a range', async () => {
    serve();
    const { user, where } = open('/t/northwind/dashboard');
    await rows();
    const slider = screen.getByRole('slider', { name: 'Time cursor, values of gateway' });
    slider.focus();
    await user.keyboard('{ArrowLeft}');
    await waitFor(() => {
      expect(slider.getAttribute('aria-valuetext')).toMatch(
        /^16:00, gateway: \d+ requests per second, .*p99 [\d.]+ ms$/u,
      );
    });
    expect(await screen.findByText(/paused while inspecting/)).toBeInTheDocument();
    await user.keyboard('{ArrowDown}');
    const next = screen.getByRole('slider', { name: 'Time cursor, values of distributor' });
    expect(next).toHaveFocus();
    await user.keyboard('{Home}{Shift>}{PageDown}{/Shift}{Enter}');
    await waitFor(() => expect(where()).toContain('from='));
    expect(await screen.findByRole('button', { name: 'Live' })).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Live' }));
    await waitFor(() => expect(where()).not.toContain('from='));
  });

  it('compares two time ranges that were selected in its rows, unless they overlap', async () => {
    serve();
    const made: unknown[] = [];
    server.use(
      http.post(at('/comparisons'), async ({ request }) => {
        made.push(await request.json());
        return HttpResponse.json(aComparison({ id: 'made' }), { status: 201 });
      }),
      http.get(at('/comparisons/:id'), () => HttpResponse.json(aComparison({ id: 'made' }))),
    );
    const { user, where } = open('/t/northwind/dashboard');
    await rows();
    await user.click(screen.getByRole('button', { name: 'Compare time ranges' }));
    const bar = screen.getByRole('group', { name: 'Compare two time ranges' });
    expect(bar).toHaveTextContent('Drag over a time range');
    screen.getByRole('slider', { name: 'Time cursor, values of distributor' }).focus();
    await user.keyboard('{Home}{PageDown}{Shift>}{PageDown}{PageDown}{PageDown}{/Shift}{Enter}');
    await waitFor(() => {
      expect(bar).toHaveTextContent('Compare distributor, 12:07 to 12:27 UTC');
    });
    expect(where()).not.toContain('from=');
    // The second time range overlaps the first one.
    await user.keyboard('{Home}{PageDown}{Shift>}{PageDown}{/Shift}{Enter}');
    expect(
      await screen.findByText(/The time ranges overlap\. Choose a range that doe/),
    ).toBeInTheDocument();
    expect(made).toHaveLength(0);
    await user.click(screen.getByRole('button', { name: 'Previous period' }));
    await waitFor(() => expect(where()).toContain('/comparisons/made'));
    expect(made[0]).toMatchObject({
      base: {
        artifact_ids: [],
        time_range: { service_id: serviceId(1), environment_id: ENVIRONMENT.id },
      },
      candidate: { time_range: { service_id: serviceId(1) } },
    });
  });

  it('shows "live" with the delay of the data', async () => {
    serve({ toMs: Date.now() });
    open('/t/northwind/dashboard');
    expect(await screen.findByText(/^live, 1\d s behind$/)).toBeInTheDocument();
  });

  it('shows commits and verdict of a deployment, and compares before and after it', async () => {
    serve();
    const windows = serveDeployments();
    const made: unknown[] = [];
    server.use(
      http.get(at('/artifacts'), ({ request }) => {
        const build = new URL(request.url).searchParams.get('build_id');
        return page([anArtifact({ id: `of ${build}`, build_id: build })]);
      }),
      http.post(at('/comparisons'), async ({ request }) => {
        made.push(await request.json());
        return HttpResponse.json(aComparison({ id: 'made' }), { status: 201 });
      }),
      http.get(at('/comparisons/:id'), () => HttpResponse.json(aComparison({ id: 'made' }))),
    );
    const { user, where } = open('/t/northwind/dashboard');
    await rows();
    await user.click(screen.getByRole('button', { name: /^Deployment 5f3c1e8d00 of distributor/ }));
    const panel = await screen.findByRole('dialog');
    await waitFor(() => {
      expect(panel).toHaveTextContent('Deployment 5f3c1e8d00 of distributor');
    });
    expect(panel).toHaveTextContent('slower');
    expect(panel).toHaveTextContent('p99 takes 3.1 times as long (2.8 to 3.4)');
    expect(within(panel).getByText('ident: copy labels before they are sent on')).toBeVisible();
    expect(within(panel).getByRole('link', { name: '5f3c1e8d00' })).toHaveAttribute(
      'href',
      'https://git.example/northwind/distributor/commit/5f3c1e8',
    );
    expect(where()).toContain(`deploy=${DEPLOY_ID}`);
    await user.click(within(panel).getByRole('button', { name: 'Compare before and after' }));
    await waitFor(() => expect(where()).toContain('/comparisons/made'));
    expect(made[0]).toEqual({
      name: '71aa09b300 vs. 5f3c1e8d00',
      base: {
        artifact_ids: ['of build-before'],
        label: '71aa09b300',
        time_range: windows?.base ?? null,
      },
      candidate: {
        artifact_ids: ['of build-after'],
        label: '5f3c1e8d00',
        time_range: windows?.candidate ?? null,
      },
    });
  });

  it('opens the existing comparison of a deployment', async () => {
    serve();
    const windows = serveDeployments();
    const known = aComparison({
      id: 'known',
      name: '71aa09b300 vs. 5f3c1e8d00',
      base: {
        label: '71aa09b300',
        artifacts: 1,
        artifact_ids: ['a'],
        time_range: windows?.base ?? null,
        labels: [],
        source: null,
        build_id: null,
        left_out: null,
      },
      candidate: {
        label: '5f3c1e8d00',
        artifacts: 1,
        artifact_ids: ['b'],
        time_range: windows?.candidate ?? null,
        labels: [],
        source: null,
        build_id: null,
        left_out: null,
      },
    });
    server.use(
      http.get(at('/artifacts'), ({ request }) => {
        const before = new URL(request.url).searchParams.get('build_id') === 'build-before';
        return page([anArtifact({ id: before ? 'a' : 'b' })]);
      }),
      http.get(at('/comparisons'), () => page([known])),
      http.get(at('/comparisons/:id'), () => HttpResponse.json(known)),
    );
    const { user, where } = open('/t/northwind/dashboard');
    await rows();
    await user.click(screen.getByRole('button', { name: 'Compare before and after' }));
    await waitFor(() => expect(where()).toContain('/comparisons/known'));
  });

  it('shows how to upload profiles when a build has none', async () => {
    serve();
    serveDeployments();
    const { user } = open('/t/northwind/dashboard');
    await rows();
    await user.click(screen.getByRole('button', { name: 'Compare before and after' }));
    const message = await screen.findByText(/Nothing to compare yet/);
    expect(message.parentElement).toHaveTextContent('Build 71aa09b300 has no profiles.');
    expect(screen.getByText(/artifacts\/cpu\.pprof\?build_id=build-before/)).toBeVisible();
  });

  it('shows an upload command for a commit without a build, and compares latency without profiles', async () => {
    serve();
    const windows = serveDeployments();
    const after = deploymentOut({ build_id: null });
    const before = deploymentOut({
      id: 'earlier',
      build_id: null,
      commit: '71aa09b300000000000000000000000000000000',
      started_at: '2026-11-17T09:00:00Z',
    });
    const asked = vi.fn();
    server.use(
      http.get(at('/deployments'), () => page([after, before])),
      http.get(at('/deployments/:id'), () => HttpResponse.json(after)),
      http.get(at('/comparisons'), () => page([])),
      http.get(at('/comparisons/:id'), () => HttpResponse.json(aComparison({ id: 'made' }))),
      http.post(at('/comparisons'), async ({ request }) => {
        asked(await request.json());
        return HttpResponse.json(aComparison({ id: 'made' }), { status: 201 });
      }),
    );
    const { user, where } = open('/t/northwind/dashboard');
    await rows();
    await user.click(screen.getByRole('button', { name: 'Compare before and after' }));
    expect(
      await screen.findByText(/builds\/distributor\/71aa09b3[0-9]+\/artifacts\/"$/u),
    ).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Compare latency before and after' }));
    await waitFor(() => expect(where()).toContain('/comparisons/made'));
    expect(asked).toHaveBeenCalledWith({
      name: 'Latency, 71aa09b300 vs. 5f3c1e8d00',
      base: { artifact_ids: [], label: '71aa09b300', time_range: windows?.base },
      candidate: { artifact_ids: [], label: '5f3c1e8d00', time_range: windows?.candidate },
    });
  });

  it('shows the previous and the new commit of a deployment without a list of commits', async () => {
    serve();
    const own = deploymentOut({
      id: OTHER_DEPLOY_ID,
      service_id: serviceId(3),
      commit: 'a9e11b4c00',
    });
    const before = deploymentOut({
      id: 'earlier',
      build_id: 'other',
      commit: '0d3f5c1e77',
      started_at: '2026-11-10T00:00:00Z',
    });
    server.use(http.get(at('/deployments'), () => page([own, before])));
    open(`/t/northwind/dashboard?deploy=${OTHER_DEPLOY_ID}`);
    const panel = await screen.findByRole('dialog');
    expect(panel).toHaveTextContent('not slower');
    expect(await within(panel).findByText('0d3f5c1e77')).toBeVisible();
    expect(panel).toHaveTextContent('From 0d3f5c1e77 to a9e11b4c00.');
  });

  it('saves a manual row order, and restores the order from spans', async () => {
    serve();
    const kept: unknown[] = [];
    server.use(
      http.put(at('/environments/:id/service-order'), async ({ request }) => {
        kept.push(await request.json());
        return HttpResponse.json({ services: [], source: 'manual', edges: [] });
      }),
      http.delete(at('/environments/:id/service-order'), () =>
        HttpResponse.json({ services: [], source: 'spans', edges: [] }),
      ),
    );
    const { user } = open('/t/northwind/dashboard');
    await rows();
    screen.getByRole('button', { name: /^Move ingester, row 3/ }).focus();
    await user.keyboard('{ArrowUp}');
    await waitFor(async () => {
      expect((await rows()).slice(0, 3)).toEqual(['gateway', 'ingester', 'distributor']);
    });
    expect(kept[0]).toEqual({
      service_ids: [0, 2, 1, 3, 4].map(serviceId),
    });
    expect(screen.getByText('ingester is row 2 of 5')).toBeInTheDocument();
    await user.click(await screen.findByRole('button', { name: 'from spans' }));
    await waitFor(async () => {
      expect((await rows())[1]).toBe('distributor');
    });
  });

  it('saves a new annotation, and returns to the list of annotations', async () => {
    serve();
    const sent: unknown[] = [];
    server.use(
      http.post(at('/annotations'), async ({ request }) => {
        sent.push(await request.json());
        return HttpResponse.json({ id: 'n1' }, { status: 201 });
      }),
    );
    const { user, where } = open('/t/northwind/dashboard');
    await rows();
    await user.click(screen.getByRole('button', { name: 'Annotations' }));
    const panel = await screen.findByRole('dialog');
    await user.click(within(panel).getByRole('button', { name: 'Add annotation' }));
    await waitFor(() => expect(where()).toContain('note=new'));
    await user.type(await within(panel).findByLabelText('Text'), 'failover test');
    await user.click(within(panel).getByRole('button', { name: 'Save' }));
    await waitFor(() => {
      expect(sent).toEqual([
        {
          environment_id: ENVIRONMENT.id,
          service_id: null,
          started_at: '2026-11-18T16:00:00Z',
          ended_at: null,
          text: 'failover test',
        },
      ]);
    });
    await waitFor(() => expect(where()).toContain('note=all'));
    expect(within(panel).getByRole('button', { name: 'Add annotation' })).toBeVisible();
  });

  it('shows why it is empty, and configuration snippets with a new token', async () => {
    serve({ empty: 'No metrics received yet.' });
    const { user } = open('/t/northwind/dashboard');
    expect(await screen.findByText('No metrics received yet.')).toBeInTheDocument();
    const prometheus = screen.getByRole('region', { name: 'prometheus.yml' });
    expect(prometheus).toHaveTextContent(`url: ${window.location.origin}/api/v1/metrics/write`);
    server.use(
      http.post(at('/teams/:team/tokens'), () =>
        HttpResponse.json({ id: 't1', secret: 'slp_secret' }, { status: 201 }),
      ),
    );
    await user.click(screen.getByRole('button', { name: 'Create a token for this snippet' }));
    await waitFor(() => {
      expect(prometheus).toHaveTextContent('credentials: slp_secret');
    });
    expect(
      screen.getByRole('region', { name: 'Environment of a service with OpenTelemetry' }),
    ).toHaveTextContent('Authorization=Bearer%20slp_secret');
  });

  it('shows why loading failed, and keeps the controls', async () => {
    server.use(
      http.get(at('/dashboard'), () =>
        problem(404, { title: 'Not found', detail: 'There is no such environment.' }),
      ),
    );
    open('/t/northwind/dashboard?env=gone');
    expect(await screen.findByRole('alert', {}, { timeout: 8000 })).toHaveTextContent(
      'There is no such environment.',
    );
    expect(screen.getByRole('button', { name: 'Try again' })).toBeInTheDocument();
    expect(screen.getByRole('radio', { name: '4 h' })).toBeInTheDocument();
  });

  it('renders HTML in names as text, and does not link javascript: URLs', async () => {
    const whole = {
      id: DEPLOY_ID,
      service_id: serviceId(0),
      build_id: null,
      commit: '',
      label: HOSTILE,
      at_ms: Date.UTC(2026, 10, 18, 14),
      ended_ms: null,
      verdict: null,
      check: null,
      commits: [{ id: HOSTILE, title: HOSTILE, author: null, url: 'javascript:alert(1)' }],
      url: 'javascript:alert(1)',
    };
    serve({ header: { deployments: [whole], changes: [], headline: null } });
    const { container } = open(`/t/northwind/dashboard?deploy=${DEPLOY_ID}`);
    const panel = await screen.findByRole('dialog');
    expect(within(panel).getAllByText(HOSTILE).length).toBeGreaterThan(0);
    const links = within(panel).getAllByRole('link');
    expect(links.map(({ textContent }) => textContent)).toEqual(['Choose sides']);
    expect(container.ownerDocument.querySelector('img')).toBeNull();
    expect(screen.getByText('No latency change points')).toBeInTheDocument();
  });

  it('shows deployments to viewers, without buttons to move rows or to compare', async () => {
    const session = aSession();
    server.use(
      http.get(at('/session'), () =>
        HttpResponse.json({
          ...session,
          teams: session.teams.map((team) => ({ ...team, role: 'viewer' })),
        }),
      ),
    );
    serve();
    open('/t/northwind/dashboard');
    await rows();
    expect(screen.queryByRole('button', { name: /^Move / })).toBeNull();
    expect(screen.queryByRole('button', { name: 'Compare before and after' })).toBeNull();
    expect(screen.getByRole('button', { name: 'Commits of 5f3c1e8d00' })).toBeInTheDocument();
  });
});

describe('Metrics of a team', () => {
  const name = {
    kind: 'histogram',
    series: 48,
    reason_code: 'by-name',
    services: 0,
    service_id: null,
    environment_id: null,
  };
  it('are listed with the reason why they are ignored, and get rules and a retention', async () => {
    const sent: unknown[] = [];
    server.use(
      http.get(at('/metrics/names'), () =>
        HttpResponse.json({
          items: [
            {
              ...name,
              name: 'http_server_request_duration_seconds',
              role: 'latency',
              reason: 'known',
            },
            { ...name, name: 'queue_wait_ms', role: null, reason: 'The name says nothing.' },
          ],
          series: 96,
          max_series: 100_000,
          has_more: false,
        }),
      ),
      http.get(at('/metric-rules'), () => page([])),
      http.post(at('/metric-rules'), async ({ request }) => {
        sent.push(await request.json());
        return HttpResponse.json({ id: 'r1' }, { status: 201 });
      }),
      http.patch(at('/metrics/settings'), async ({ request }) => {
        sent.push(await request.json());
        return HttpResponse.json({ retention_days: 14, series: 96, max_series: 100_000 });
      }),
    );
    const { user } = open('/t/northwind/settings?tab=metrics');
    const table = await screen.findByRole('table', { name: 'Metrics' });
    expect(within(table).getByRole('row', { name: /queue_wait_ms/ })).toHaveTextContent(
      '–ignoredThe name says nothing.',
    );
    await user.click(screen.getByRole('button', { name: 'Add a rule for queue_wait_ms' }));
    expect(screen.getByLabelText('Metric')).toHaveValue('queue_wait_ms');
    await user.type(screen.getByLabelText('Label matchers'), 'stage="write"');
    await user.click(screen.getByRole('button', { name: 'Add rule' }));
    await waitFor(() => {
      expect(sent[0]).toMatchObject({
        metric: 'queue_wait_ms',
        role: 'latency',
        label_matchers: { stage: 'write' },
        service: null,
        seconds_per_unit: 1,
      });
    });
    const days = screen.getByLabelText('Days');
    await user.clear(days);
    await user.type(days, '14');
    expect(screen.getByText(/older than 14 days will be deleted/)).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(sent[1]).toEqual({ retention_days: 14 }));
  });

  it('make the dashboard the first page of the team', async () => {
    server.use(
      http.get(at('/metrics/settings'), () =>
        HttpResponse.json({ retention_days: 30, series: 9, max_series: 100_000 }),
      ),
    );
    serve();
    const { where } = open('/t/northwind');
    await waitFor(() => expect(where()).toBe('/t/northwind/dashboard'));
  });
});
