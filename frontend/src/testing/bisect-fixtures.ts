/**
 * A bisect of two levels, as the API sends it: a dependency update in the monorepo, and below it
 * the commit of the library.
 */
import type { Bisect, BisectCandidate, BisectListItemOut, Probe } from '../api';

export const BISECT = '00000000-0000-4000-8000-0000000000d1';
const SERVICE = '00000000-0000-4000-8000-0000000000f1';
const GOOD = '1'.repeat(40);
const BAD = '2'.repeat(40);
export const DEPENDENCY_UPDATE = 'd1f07aa'.padEnd(40, '0');
export const CULPRIT = '4be1d07'.padEnd(40, '0');

const aCandidate = (changed: Partial<BisectCandidate>): BisectCandidate => ({
  id: DEPENDENCY_UPDATE,
  sha: DEPENDENCY_UPDATE,
  title: 'bump libx',
  members: 1,
  kind: 'bump',
  prior: 0.5,
  posterior: 0.5,
  reason: 'changes libx',
  verdict: null,
  probe_number: null,
  ...changed,
});

export const aProbe = (changed: Partial<Probe> = {}): Probe => ({
  number: 1,
  run_id: '00000000-0000-4000-8000-0000000000a1',
  purpose: 'probe',
  level: '',
  candidate: DEPENDENCY_UPDATE,
  sha: DEPENDENCY_UPDATE,
  title: 'bump libx',
  overrides: {},
  round: 1,
  slot: 0,
  runner: 'prod-canary-1',
  state: 'done',
  verdict: 'slower',
  odds: 9,
  posterior_preview: null,
  reason: null,
  queued_at: '2026-11-20T14:00:00Z',
  leased_at: '2026-11-20T14:00:10Z',
  deployed_at: '2026-11-20T14:01:00Z',
  ready_at: '2026-11-20T14:02:00Z',
  ended_at: '2026-11-20T14:05:00Z',
  measurements_requested: 1,
  measurements: [
    {
      index: 0,
      round: 1,
      value: 0.72,
      verdict: null,
      invalidated: false,
      problem: null,
      artifact_ids: [],
      requests: null,
      started_at: '2026-11-20T14:02:00Z',
      ended_at: '2026-11-20T14:05:00Z',
    },
  ],
  log_tail: 'built in 12 s',
  ...changed,
});

export const aBisect = (changed: Partial<Bisect> = {}): Bisect => ({
  id: BISECT,
  number: 14,
  title: 'Stack growth per request',
  state: 'searching',
  sentence:
    'Top suspect 4be1d07 in libx (ident: copy bytes through a helper): likely (86%) after 2 deployments.',
  service: { id: SERVICE, name: 'ingester' },
  regression: null,
  posterior: 0.86,
  deployments: 2,
  expected_deployments: 6,
  culprit: { repository: 'libx', sha: CULPRIT, title: 'ident: copy bytes through a helper' },
  is_automatic: false,
  created_by: 'Mira Kovač',
  created_at: '2026-11-20T13:59:00Z',
  finished_at: null,
  good: { sha: GOOD, title: 'before', at: '2026-11-17T09:12:00Z' },
  bad: { sha: BAD, title: 'after', at: '2026-11-18T14:06:00Z' },
  repository_id: '00000000-0000-4000-8000-0000000000c1',
  comparison_id: null,
  signature: {
    kind: 'profile.category',
    subject: 'stack growth',
    label: 'CPU in stack growth',
    unit: 'share',
    larger_is_worse: true,
  },
  settings: { stop_probability: 0.95, slots: 2, control: true },
  pause_reason: null,
  expires_at: null,
  levels: [
    {
      key: '',
      repository: 'monorepo',
      repository_id: null,
      module: null,
      good: GOOD,
      bad: BAD,
      commits: 4096,
      candidate_count: 2,
      pruned: [{ reason: 'no input of the binary', commits: 183 }],
      dependency_update: null,
      candidates: [
        aCandidate({ id: 'c1', sha: 'c'.repeat(40), title: 'cache: drop it', posterior: 0.004 }),
        aCandidate({ posterior: 0.996, verdict: 'slower', probe_number: 1 }),
      ],
      bars: { posterior: [0.004, 0.996], prior: [0.5, 0.5], probes: [[1, 1]] },
      culprit: { repository: 'monorepo', sha: DEPENDENCY_UPDATE, title: 'bump libx' },
    },
    {
      key: DEPENDENCY_UPDATE,
      repository: 'libx',
      repository_id: null,
      module: 'example.com/libx',
      good: 'v1.8.0',
      bad: 'v1.9.2',
      commits: 43,
      candidate_count: 2,
      pruned: [],
      dependency_update: {
        module: 'example.com/libx',
        old_version: 'v1.8.0',
        new_version: 'v1.9.2',
      },
      candidates: [
        aCandidate({
          id: `${DEPENDENCY_UPDATE}/x1`,
          sha: CULPRIT,
          title: 'ident: copy bytes through a helper',
          reason: 'on the regressed path',
          kind: 'commit',
          posterior: 0.86,
        }),
        aCandidate({
          id: `${DEPENDENCY_UPDATE}/x2`,
          sha: 'e'.repeat(40),
          title: 'time: round to unit in one place',
          reason: 'in the package closure',
          kind: 'commit',
          posterior: 0.136,
          verdict: 'measuring',
          probe_number: 2,
        }),
      ],
      bars: { posterior: [0.86, 0.136], prior: [0.6, 0.4], probes: [[1, 2]] },
      culprit: { repository: 'libx', sha: CULPRIT, title: 'ident: copy bytes through a helper' },
    },
  ],
  probes: [
    aProbe(),
    aProbe({
      number: 2,
      level: DEPENDENCY_UPDATE,
      candidate: `${DEPENDENCY_UPDATE}/x2`,
      sha: 'e'.repeat(40),
      title: 'time: round to unit in one place',
      state: 'soaking',
      verdict: 'measuring',
      odds: null,
      slot: 1,
      overrides: { 'example.com/libx': 'e'.repeat(40) },
      leased_at: '2026-11-20T14:06:00Z',
      ready_at: '2026-11-20T14:07:00Z',
      ended_at: null,
      measurements: [],
      measurements_requested: 3,
      log_tail: '',
    }),
  ],
  evidence: {
    good: [0.08, 0.09],
    bad: [0.72],
    control: [0.085],
    baseline_good: [],
    baseline_bad: [],
    unit: 'share',
    label: 'CPU in stack growth',
  },
  cost: {
    deployments: 2,
    running: 1,
    builds: 2,
    rounds: 2,
    expected_probes: { mean: 4, low: 3, high: 6 },
    limit: 40,
    git_bisect_best_of_3_probes: 57,
    git_bisect_best_of_5_probes: 95,
    seconds: 600,
    seconds_per_deployment: 540,
  },
  elsewhere: 0.002,
  events: [
    {
      id: 'e1',
      occurred_at: '2026-11-20T13:59:00Z',
      kind: 'started',
      actor: 'Mira Kovač',
      sentence: 'Started',
    },
  ],
  problem: null,
  job: null,
  compiler: null,
  needs_approval: false,
  rest: null,
  revision: 7,
  ...changed,
});

export const aBisectRow = (changed: Partial<BisectListItemOut> = {}): BisectListItemOut => {
  const { id, number, title, state, sentence, service, regression, posterior, deployments } =
    aBisect();
  const { expected_deployments, culprit, is_automatic, created_by, created_at, finished_at } =
    aBisect();
  return {
    ...{ id, number, title, state, sentence, service, regression, posterior, deployments },
    ...{ expected_deployments, culprit, is_automatic, created_by, created_at, finished_at },
    levels: 2,
    ...changed,
  };
};
