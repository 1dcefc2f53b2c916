import { screen, waitFor, within } from '@testing-library/react';
import axe from 'axe-core';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';
import type { BisectProposalOut, PreflightOut, RangeEndOut } from '../api';
import { BISECT, aBisect } from '../testing/bisect-fixtures';
import { at, page, server } from '../testing/mock-api';
import { open } from '../testing/render';

const REGRESSION = '00000000-0000-4000-8000-000000000027';
const [GOOD, BAD, BASE] = ['1', '2', '3'].map((digit) => digit.repeat(40)) as [
  string,
  string,
  string,
];
const sent: Record<string, unknown>[] = [];
const checked: Record<string, unknown>[] = [];

const KNOWN: NonNullable<BisectProposalOut['signatures'][number]['production_baselines']> = {
  good: {
    build_id: 'g',
    value: 0.05,
    error: 0.002,
    files: 4,
    first_at: '2026-11-19T09:00:00Z',
    last_at: '2026-11-19T09:10:00Z',
  },
  bad: {
    build_id: 'b',
    value: 0.62,
    error: null,
    files: 1,
    first_at: '2026-11-20T09:00:00Z',
    last_at: '2026-11-20T09:00:00Z',
  },
  unit: 'share',
  conditions: 'go1.26, linux/amd64',
};

const anOffer = (changed: Partial<BisectProposalOut> = {}): BisectProposalOut => ({
  origin: 'regression 27, stack growth in ident.cloneBytes',
  left_out: [{ label: 'Heap in use', reason: 'good and bad do not differ (×1.01)' }],
  service: { id: 's', name: 'ingester' },
  repository: { id: 'r', label: 'monorepo', url: 'https://git.example.com/mono.git' },
  good: { sha: '1'.repeat(40), title: '', at: null },
  bad: { sha: '2'.repeat(40), title: '', at: null },
  environments: [],
  signatures: [
    {
      kind: 'profile.category',
      subject: 'stack growth',
      label: 'CPU in stack growth',
      unit: 'share',
      before: 0.05,
      after: 0.62,
      separation: 41.2,
      is_separating: true,
      reason: 'distinguished the two already',
      dashboard_selector: null,
      production_baselines: KNOWN,
    },
    {
      kind: 'profile.category',
      subject: 'user code',
      label: 'CPU in user code',
      unit: 'share',
      before: 0.3,
      after: 0.4,
      separation: 4.4,
      is_separating: true,
      reason: '',
      dashboard_selector: null,
      production_baselines: null,
    },
    {
      kind: 'custom',
      subject: '',
      label: 'The number that the runner’s command prints',
      unit: '',
      before: null,
      after: null,
      separation: null,
      is_separating: false,
      reason: '',
      dashboard_selector: null,
      production_baselines: null,
    },
  ],
  runners: [],
  missing_inputs: [],
  ...changed,
});

type Check = PreflightOut['checks'][number];
const aCheck = (changed: Partial<Check>): Check => ({
  key: 'commits',
  state: 'ok',
  title: 'Commits are present',
  value: '4,342',
  detail: 'Good is an ancestor of bad.',
  fixes: [],
  blocks_start: false,
  ...changed,
});

const aPreflight = (changed: Partial<PreflightOut> = {}): PreflightOut => ({
  id: '00000000-0000-4000-8000-0000000000f1',
  is_running: false,
  good_sha: GOOD,
  bad_sha: BAD,
  checks: [
    aCheck({}),
    aCheck({
      key: 'runner',
      state: 'missing',
      title: 'No runner is online',
      value: '0',
      detail: 'A bisect that is started now waits for one.',
      fixes: [{ action: 'start-runner', label: 'Start a runner', value: '' }],
    }),
  ],
  report: {
    relation: 'ancestor',
    merge_base: null,
    commits: 4342,
    classes: 131,
    pruned: [],
    modules: [
      { module: 'example.com/libdb', before: 'v0.14.2', after: 'v0.15.0', is_linked: true },
      { module: 'example.com/libx', before: 'v1.8.0', after: 'v1.9.2', is_linked: false },
    ],
    with_prior: { mean: 14, low: 11, high: 17 },
    without_prior: { mean: 19, low: 15, high: 23 },
    git_bisect_probes: 80,
    first_round: [{ sha: BASE, title: 'update libdb to v0.15.0', prior: 0.091 }],
  },
  probe_seconds: 100,
  probes_seen: 12,
  expected_seconds: 1500,
  boundary_check: null,
  ...changed,
});

function serve(offer: BisectProposalOut, preflight: PreflightOut, ends: RangeEndOut[] = []) {
  window.history.replaceState(null, '', window.location.pathname); // the choices of a former page
  sent.length = 0;
  checked.length = 0;
  server.use(
    http.get(at('/bisects'), () => page([])),
    http.get(at('/bisects/:bisect'), () => HttpResponse.json(aBisect())),
    http.get(at('/runners'), () => HttpResponse.json([])),
    http.get(at('/services'), () => page([{ id: 's', name: 'ingester' }])),
    http.get(at('/repositories'), () => page([])),
    http.get(at('/bisect-proposals'), () => HttpResponse.json(offer)),
    http.get(at('/bisect-ends'), () => HttpResponse.json(ends)),
    http.get(at('/bisect-preflights/:preflight'), () => HttpResponse.json(preflight)),
    http.post(at('/bisect-preflights'), async ({ request }) => {
      checked.push((await request.json()) as Record<string, unknown>);
      return HttpResponse.json(preflight, { status: 201 });
    }),
    http.post(at('/bisects'), async ({ request }) => {
      sent.push((await request.json()) as Record<string, unknown>);
      return HttpResponse.json(aBisect(), { status: 201 });
    }),
  );
}

const start = () => screen.findByRole('button', { name: 'Start bisect' });

describe('the page that starts a bisect', () => {
  beforeEach(() => serve(anOffer(), aPreflight()));

  it('is complete for a regression: one click starts it', async () => {
    const { user, where } = open(`/t/northwind/bisects/new?regression=${REGRESSION}`);
    await waitFor(() => {
      expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent(
        'Expected: 14 probes in 25 min to find the commit between 111111111111 and 222222222222',
      );
    });
    expect(screen.getByText(/131 candidates in 4,342 commits/u)).toHaveTextContent(
      'git bisect, best of 5, needs 80 probes',
    );
    expect(screen.getByText(/from regression 27/u)).toBeVisible();
    await user.click(await start());
    await waitFor(() => expect(where()).toContain(`/bisects/${BISECT}`));
    expect(sent).toMatchObject([
      {
        regression_id: REGRESSION,
        good_sha: GOOD,
        bad_sha: BAD,
        signature: { kind: 'profile.category', subject: 'stack growth' },
      },
    ]);
  });

  it('ranks criteria by separation, names those left out, and reads well', async () => {
    const { user } = open(`/t/northwind/bisects/new?regression=${REGRESSION}`);
    const rows = within(await screen.findByRole('radiogroup', { name: 'Criterion' }));
    expect(rows.getAllByRole('radio')).toHaveLength(3);
    expect(
      rows.getByText('Heap in use: not offered, good and bad do not differ (×1.01)'),
    ).toBeVisible();
    expect(rows.getByText('41')).toBeVisible();
    await user.click(rows.getByText('CPU in user code'));
    await waitFor(() =>
      expect(checked.at(-1)).toMatchObject({ signature: { subject: 'user code' } }),
    );
    await screen.findByText('update libdb to v0.15.0');
    const found = await axe.run(document.body, { rules: { 'color-contrast': { enabled: false } } });
    expect(found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)).toEqual([]);
  });

  it('shows a missing runner with the command that starts one, and starts without', async () => {
    const { user } = open(`/t/northwind/bisects/new?regression=${REGRESSION}`);
    expect(await screen.findByText('1 passed, 1 missing')).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Start a runner' }));
    expect(await screen.findByLabelText(/Start a runner where the service can be/u)).toBeVisible();
    expect(await start()).toBeEnabled();
  });

  it('names the updated modules, and which of them have no repository', async () => {
    open(`/t/northwind/bisects/new?regression=${REGRESSION}`);
    expect(await screen.findByText(/v0\.14\.2 to v0\.15\.0/u)).toBeVisible();
    expect(screen.getByText(/v1\.8\.0 to v1\.9\.2, no repository/u)).toBeVisible();
  });
});

describe('an end of a bisect', () => {
  const end = (changed: Partial<RangeEndOut>): RangeEndOut => ({
    type: 'tag',
    name: 'v2.31.0',
    sha: BASE,
    detail: '',
    is_exact: true,
    title: 'storage: flush tiles in order',
    author: 'Lea Brandt',
    at: '2026-11-17T09:12:00Z',
    is_measured: true,
    ...changed,
  });

  it('is chosen by name, by keys or by leaving the field', async () => {
    serve(anOffer(), aPreflight(), [end({}), end({ name: 'v2.31.0-rc1', is_exact: false })]);
    const { user } = open(`/t/northwind/bisects/new?regression=${REGRESSION}`);
    const good = await screen.findByRole('textbox', { name: 'Good' });
    await user.clear(good);
    await user.type(good, 'v2.31.0');
    expect(await screen.findByText('v2.31.0-rc1')).toBeInTheDocument();
    await user.tab();
    await waitFor(() => expect(good).toHaveValue('v2.31.0'));
    await waitFor(() => expect(checked.at(-1)).toMatchObject({ good_sha: BASE, bad_sha: BAD }));
  });

  it('that no commit has is said so', async () => {
    serve(anOffer(), aPreflight());
    const { user } = open(`/t/northwind/bisects/new?regression=${REGRESSION}`);
    const bad = await screen.findByRole('textbox', { name: 'Bad' });
    await user.clear(bad);
    await user.type(bad, 'v9');
    expect(await screen.findByText('No commit is named v9.')).toBeVisible();
  });
});

describe('a check that fails', () => {
  const fails = (check: Partial<Check>) =>
    serve(
      anOffer(),
      aPreflight({
        report: null,
        expected_seconds: null,
        checks: [aCheck({ state: 'missing', blocks_start: true, ...check })],
      }),
    );

  it('keeps the bisect from starting; swapped ends are exchanged', async () => {
    fails({
      title: 'Good and bad are swapped',
      fixes: [{ action: 'swap-ends', label: 'Exchange them', value: '' }],
    });
    const { user } = open(`/t/northwind/bisects/new?regression=${REGRESSION}`);
    await user.click(await screen.findByRole('button', { name: 'Exchange them' }));
    expect(await start()).toBeDisabled();
    await waitFor(() => expect(checked.at(-1)).toMatchObject({ good_sha: BAD, bad_sha: GOOD }));
  });

  it('of a release branch offers the merge base', async () => {
    fails({
      title: 'Good is not an ancestor of bad',
      fixes: [{ action: 'use-merge-base', label: 'Use 333333333333 as good', value: BASE }],
    });
    const { user } = open(`/t/northwind/bisects/new?regression=${REGRESSION}`);
    await user.click(await screen.findByRole('button', { name: /Use 333333333333/u }));
    await waitFor(() => expect(checked.at(-1)).toMatchObject({ good_sha: BASE }));
  });

  it('is checked again on request', async () => {
    fails({ title: 'The range cannot be searched' });
    const { user } = open(`/t/northwind/bisects/new?regression=${REGRESSION}`);
    await screen.findByText('The range cannot be searched');
    await user.click(screen.getByRole('button', { name: 'Run again' }));
    await waitFor(() => expect(checked.at(-1)).toMatchObject({ is_repeated: true }));
  });

  it('takes the address of a repository where it is missing', async () => {
    fails({
      key: 'repositories',
      title: 'Repository is not readable',
      fixes: [{ action: 'set-repository-url', label: 'Add its address', value: 'r' }],
    });
    const updated: unknown[] = [];
    server.use(
      http.patch(at('/repositories/:id'), async ({ request }) => {
        updated.push(await request.json());
        return HttpResponse.json({});
      }),
    );
    const { user } = open(`/t/northwind/bisects/new?regression=${REGRESSION}`);
    await user.click(await screen.findByRole('button', { name: 'Add its address' }));
    await user.type(
      await screen.findByLabelText('Address of the repository'),
      'https://x.org/a.git',
    );
    await user.click(screen.getByRole('button', { name: 'Add and fetch' }));
    await waitFor(() => expect(updated).toEqual([{ url: 'https://x.org/a.git' }]));
  });
});

describe('measuring both ends', () => {
  const runner = aCheck({ key: 'runner', title: 'A runner is online', value: '1' });
  const measured = (changed: Partial<NonNullable<PreflightOut['boundary_check']>>) => ({
    bisect_id: BISECT,
    number: 12,
    state: 'measured' as const,
    sentence: 'The ends differ.',
    ...changed,
  });
  const path = `/t/northwind/bisects/new?regression=${REGRESSION}`;

  it('needs a runner', async () => {
    serve(anOffer(), aPreflight());
    open(path);
    const button = await screen.findByRole('button', { name: 'Measure both ends' });
    await waitFor(() => expect(button).toHaveAttribute('title', 'No runner is online'));
    expect(button).toBeDisabled();
    expect(await start()).toBeEnabled();
  });

  it('asks for a bisect that pauses after its boundaries', async () => {
    serve(anOffer(), aPreflight({ checks: [runner] }));
    const { user } = open(path);
    const button = await screen.findByRole('button', { name: 'Measure both ends' });
    await waitFor(() => expect(button).toBeEnabled());
    await user.click(button);
    await waitFor(() =>
      expect(sent).toMatchObject([
        { good_sha: GOOD, bad_sha: BAD, settings: { pauses_after_boundaries: true } },
      ]),
    );
  });

  it('shows what follows, tries again, and can be cancelled', async () => {
    const failed = aCheck({
      key: 'good',
      state: 'missing',
      title: 'Good boundary has no measurement',
      detail: 'The good end could not be built: no disk',
      fixes: [{ action: 'measure-again', label: 'Try again', value: '' }],
    });
    serve(
      anOffer(),
      aPreflight({ checks: [runner, failed], boundary_check: measured({ state: 'running' }) }),
    );
    const actions: unknown[] = [];
    server.use(
      http.post(at('/bisects/:bisect/actions'), async ({ request }) => {
        actions.push(((await request.json()) as { action: string }).action);
        return HttpResponse.json(aBisect());
      }),
    );
    const { user } = open(path);
    expect(await screen.findByText('The good end could not be built: no disk')).toBeVisible();
    expect(screen.getByRole('link', { name: 'Bisect 12' })).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    await user.click(screen.getByRole('button', { name: 'Cancel measuring' }));
    await waitFor(() => expect(actions).toEqual(['retry', 'cancel']));
  });

  it('keeps what was chosen in the address', async () => {
    serve(anOffer(), aPreflight());
    const { user } = open(path);
    const rows = within(await screen.findByRole('radiogroup', { name: 'Criterion' }));
    expect(window.location.hash).toBe('');
    await user.click(rows.getByText('CPU in user code'));
    await waitFor(() => expect(window.location.hash).toMatch(/^#draft=.*user%20code/u));
  });
});
