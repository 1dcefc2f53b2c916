/** A bisect of two levels, as the API tells it: a bump in the monorepo, and under it the commit of the library. */
import type { Bisect, BisectCandidate, BisectRow, Probe } from '../api';

export const BISECT = '00000000-0000-4000-8000-0000000000d1';
const SERVICE = '00000000-0000-4000-8000-0000000000f1';
export const GOOD = '1'.repeat(40);
export const BAD = '2'.repeat(40);
export const BUMP = 'd1f07aa'.padEnd(40, '0');
export const GUILTY = '4be1d07'.padEnd(40, '0');

const aCandidate = (changed: Partial<BisectCandidate>): BisectCandidate => ({
  id: BUMP,
  sha: BUMP,
  title: 'bump libx',
  members: 1,
  kind: 'bump',
  weight_share: 0.5,
  belief: 0.5,
  why: 'changes libx',
  verdict: null,
  probe_number: null,
  ...changed,
});

export const aProbe = (changed: Partial<Probe> = {}): Probe => ({
  number: 1,
  run_id: '00000000-0000-4000-8000-0000000000a1',
  purpose: 'probe',
  level: '',
  candidate: BUMP,
  sha: BUMP,
  title: 'bump libx',
  overrides: {},
  round: 1,
  slot: 0,
  runner: 'prod-canary-1',
  state: 'done',
  verdict: 'slower',
  odds: 9,
  reason: null,
  asked_at: '2026-11-20T14:00:00Z',
  leased_at: '2026-11-20T14:00:10Z',
  deployed_at: '2026-11-20T14:01:00Z',
  ready_at: '2026-11-20T14:02:00Z',
  ended_at: '2026-11-20T14:05:00Z',
  windows_wanted: 1,
  windows: [
    {
      index: 0,
      round: 1,
      value: 0.72,
      verdict: null,
      annulled: false,
      problem: null,
      artifact_ids: [],
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
  sentence: 'Suspects 4be1d07 in libx (ident: copy bytes through a helper): 86 % after 2 deploys.',
  service: { id: SERVICE, name: 'ingester' },
  regression: null,
  belief: 0.86,
  deploys: 2,
  expected_deploys: 6,
  culprit: { repository: 'libx', sha: GUILTY, title: 'ident: copy bytes through a helper' },
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
  settings: { belief: 0.95, slots: 2, control: true },
  pause_reason: null,
  levels: [
    {
      key: '',
      repository: 'monorepo',
      module: null,
      good: GOOD,
      bad: BAD,
      commits: 4096,
      classes: 2,
      pruned: [{ why: 'no input of the binary', commits: 183 }],
      bump: null,
      candidates: [
        aCandidate({ id: 'c1', sha: 'c'.repeat(40), title: 'cache: drop it', belief: 0.004 }),
        aCandidate({ belief: 0.996, verdict: 'slower', probe_number: 1 }),
      ],
      bars: { belief: [0.004, 0.996], before: [0.5, 0.5], marks: [[1, 1]] },
      culprit: { repository: 'monorepo', sha: BUMP, title: 'bump libx' },
    },
    {
      key: BUMP,
      repository: 'libx',
      module: 'example.com/libx',
      good: 'v1.8.0',
      bad: 'v1.9.2',
      commits: 43,
      classes: 2,
      pruned: [],
      bump: { module: 'example.com/libx', before: 'v1.8.0', after: 'v1.9.2' },
      candidates: [
        aCandidate({
          id: `${BUMP}/x1`,
          sha: GUILTY,
          title: 'ident: copy bytes through a helper',
          why: 'on the regressed path',
          kind: 'commit',
          belief: 0.86,
        }),
        aCandidate({
          id: `${BUMP}/x2`,
          sha: 'e'.repeat(40),
          title: 'time: round to unit in one place',
          why: 'in the package closure',
          kind: 'commit',
          belief: 0.136,
          verdict: 'probing',
          probe_number: 2,
        }),
      ],
      bars: { belief: [0.86, 0.136], before: [0.6, 0.4], marks: [[1, 2]] },
      culprit: { repository: 'libx', sha: GUILTY, title: 'ident: copy bytes through a helper' },
    },
  ],
  probes: [
    aProbe(),
    aProbe({
      number: 2,
      level: BUMP,
      candidate: `${BUMP}/x2`,
      sha: 'e'.repeat(40),
      title: 'time: round to unit in one place',
      state: 'soaking',
      verdict: 'probing',
      odds: null,
      slot: 1,
      overrides: { 'example.com/libx': 'e'.repeat(40) },
      leased_at: '2026-11-20T14:06:00Z',
      ready_at: '2026-11-20T14:07:00Z',
      ended_at: null,
      windows: [],
      windows_wanted: 3,
      log_tail: '',
    }),
  ],
  evidence: {
    good: [0.08, 0.09],
    bad: [0.72],
    control: [0.085],
    unit: 'share',
    label: 'CPU in stack growth',
  },
  cost: {
    deploys: 2,
    running: 1,
    builds: 2,
    rounds: 2,
    expected: { mean: 4, low: 3, high: 6 },
    git_bisect_best_of_3: 57,
    git_bisect_best_of_5: 95,
    seconds: 600,
  },
  elsewhere: 0.002,
  events: [
    {
      id: 'e1',
      at: '2026-11-20T13:59:00Z',
      kind: 'started',
      who: 'Mira Kovač',
      sentence: 'Started',
      facts: {},
    },
  ],
  problem: null,
  approval_wanted: false,
  revision: 7,
  ...changed,
});

export const aBisectRow = (changed: Partial<BisectRow> = {}): BisectRow => {
  const { id, number, title, state, sentence, service, regression, belief, deploys } = aBisect();
  const { expected_deploys, culprit, created_by, created_at, finished_at } = aBisect();
  return {
    ...{ id, number, title, state, sentence, service, regression, belief, deploys },
    ...{ expected_deploys, culprit, created_by, created_at, finished_at },
    levels: 2,
    ...changed,
  };
};
