/** API responses for the page that starts a bisect. */
import { HttpResponse, http } from 'msw';
import type { BisectProposalOut, PreflightOut, RangeEndOut } from '../api';
import { aBisect } from './bisect-fixtures';
import { at, page, server } from './mock-api';

export const REGRESSION = '00000000-0000-4000-8000-000000000027';
export const [GOOD, BAD, BASE] = ['1', '2', '3'].map((digit) => digit.repeat(40)) as [
  string,
  string,
  string,
];
/** Bodies of the requests that started a bisect. */
export const sent: Record<string, unknown>[] = [];
/** Bodies of the requests that checked a bisect before its start. */
export const checked: Record<string, unknown>[] = [];

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

export const anOffer = (changed: Partial<BisectProposalOut> = {}): BisectProposalOut => ({
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

export type Check = PreflightOut['checks'][number];
export const aCheck = (changed: Partial<Check>): Check => ({
  key: 'commits',
  state: 'ok',
  title: 'Commits are present',
  value: '4,342',
  detail: 'Good is an ancestor of bad.',
  fixes: [],
  blocks_start: false,
  ...changed,
});

export const aPreflight = (changed: Partial<PreflightOut> = {}): PreflightOut => ({
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
  duration_source: 'service',
  expected_seconds: 1500,
  boundary_check: null,
  ...changed,
});

export function serve(offer: BisectProposalOut, preflight: PreflightOut, ends: RangeEndOut[] = []) {
  window.history.replaceState(null, '', window.location.pathname); // removes the previous choices
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
