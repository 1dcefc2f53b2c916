/**
 * Data of the pages of spans, as the API sends it; a test sets only the fields that it is about.
 */
export const HOSTILE_NAME = '<img src=x onerror=alert(1)>';

export const aSpan = (changed: object = {}) => ({
  id: '00000000000000a1',
  parent: null,
  depth: 0,
  service: 'distributor',
  instance: '',
  op: '/api/v1/push',
  kind: 'server',
  start_ns: 0,
  duration_ns: 10_000_000,
  status: 'unset',
  flags: [],
  skew_ns: 0,
  attributes: [],
  events: [],
  links: [],
  self_ns: 7_000_000,
  gaps: [
    { start_ns: 1_000_000, end_ns: 8_000_000, previous: 'validate', next: 'Push', suspect: false },
  ],
  critical: [],
  ...changed,
});

export const aTraceOfSpans = (changed: object = {}) => ({
  format: 'slowpath.spans-trace/1',
  trace_id: 'aa'.repeat(16),
  start_ns: 1_700_000_000_000_000_000,
  duration_ns: 10_000_000,
  spans_total: 3,
  spans: [
    aSpan(),
    aSpan({
      parent: 0,
      depth: 1,
      op: 'validate',
      kind: 'internal',
      duration_ns: 1_000_000,
      self_ns: 1_000_000,
      gaps: [{ start_ns: 0, end_ns: 1_000_000, previous: 'START', next: 'END', suspect: false }],
    }),
    aSpan({
      parent: 0,
      depth: 1,
      service: 'ingester',
      op: HOSTILE_NAME,
      start_ns: 8_000_000,
      duration_ns: 2_000_000,
      status: 'error',
      flags: ['outside its parent'],
      skew_ns: 500_000,
      gaps: [],
      attributes: [['http.route', HOSTILE_NAME]],
      events: [{ at_ns: 9_000_000, name: 'exception' }],
    }),
  ],
  critical_path: [
    { row: 1, start_ns: 0, end_ns: 1_000_000 },
    { row: 0, start_ns: 1_000_000, end_ns: 8_000_000 },
    { row: 2, start_ns: 8_000_000, end_ns: 10_000_000 },
  ],
  services: ['distributor', 'ingester'],
  ...changed,
});

const gapSide = (p90_ns: number, share: number) => ({
  n: 200,
  suspect: 0,
  p50_ns: p90_ns / 2,
  p90_ns,
  p99_ns: p90_ns * 2,
  per_request_ns: p90_ns / 2,
  share,
});

export const aGap = (changed: object = {}) => ({
  edge: 'distributor//api/v1/push|validate|Push',
  service: 'distributor',
  op: '/api/v1/push',
  previous: 'validate',
  next: 'Push',
  base: gapSide(77_000, 0.013),
  candidate: gapSide(6_620_000, 0.317),
  change: { quantile: 0.9, ratio: 85.8, difference: 6_543_000, low: 30, high: 210, q_value: 0 },
  state: 'more',
  leaf: false,
  ...changed,
});

const aSide = (label: string) => ({
  label,
  artifacts: [label],
  traces: 200,
  spans: 1600,
  seconds: 4,
  root_ops: [
    {
      op: '/api/v1/push',
      service: 'distributor',
      n: 200,
      p50_ns: 3_900_000,
      p90_ns: 11_000_000,
      p99_ns: 20_800_000,
    },
  ],
});

const aTraceRow = (side: string, trace_id: string) => ({
  artifact: `${side}-id`,
  trace_id,
  root: '/api/v1/push',
  service: 'distributor',
  start_ns: 1,
  duration_ns: 20_800_000,
  spans: 8,
  errors: 1,
  gap_ns: 19_900_000,
  side,
});

export const spansOfTwo = (changed: object = {}) => ({
  format: 'slowpath.spans-comparison/1',
  sides: { base: aSide('base'), candidate: aSide('candidate') },
  services: [
    { service: 'distributor', spans: 1000, errors: 0, p50_ns: 1, p99_ns: 20_800_000 },
    { service: 'ingester', spans: 600, errors: 2, p50_ns: 1, p99_ns: 4_500_000 },
  ],
  edges: [
    {
      caller: 'distributor',
      callee: 'ingester',
      base: { calls: 600, requests: 200, ratio: 3, p99_ns: 5, errors: 0 },
      candidate: { calls: 1000, requests: 200, ratio: 5, p99_ns: 5, errors: 0 },
      state: 'more',
    },
  ],
  order: ['distributor', 'ingester'],
  gaps: [
    aGap(),
    aGap({
      edge: 'b',
      op: 'other',
      state: 'noise',
      change: null,
      candidate: gapSide(80_000, 0.02),
    }),
  ],
  critical: [
    {
      path: ['distributor /api/v1/push'],
      service: 'distributor',
      op: '/api/v1/push',
      base: { ns_per_request: 566_000, share: 0.154 },
      candidate: { ns_per_request: 2_190_000, share: 0.414 },
      low: 1_150_000,
      high: 2_150_000,
      state: 'more',
    },
  ],
  amplification: [
    {
      edge: 'distributor->ingester',
      caller: 'distributor',
      op: '/api/v1/push',
      callee: 'ingester',
      base: { n: 200, calls: 600, mean: 3, p99: 3, max: 3, errors: 0 },
      candidate: { n: 200, calls: 1000, mean: 5, p99: 5, max: 6, errors: 0 },
      ratio: 1.67,
      low: 1.6,
      high: 1.7,
      of: 'ratio',
      q_value: 0,
      state: 'more',
    },
  ],
  fan_out: [],
  retries: [],
  n_plus_one: [],
  attributes: [{ key: 'region', value: 'eu', slow_share: 0.9, fast_share: 0.1, q_value: 0.001 }],
  traces: [aTraceRow('base', 'bb'.repeat(16)), aTraceRow('candidate', 'cc'.repeat(16))],
  ...changed,
});

/** Returns the data of one span set, without a candidate and without changes. */
export function spansOfOne(changed: object = {}) {
  const two = spansOfTwo();
  return {
    ...two,
    sides: { ...two.sides, candidate: null },
    edges: two.edges.map((edge) => ({ ...edge, candidate: null, state: 'noise' })),
    gaps: [
      aGap({ base: gapSide(6_620_000, 0.317), candidate: null, change: null, state: 'noise' }),
    ],
    critical: two.critical.map((row) => ({ ...row, candidate: null, state: 'noise' })),
    amplification: two.amplification.map((row) => ({ ...row, candidate: null, state: 'noise' })),
    traces: two.traces.slice(0, 1),
    ...changed,
  };
}

export const anExplanation = (changed: object = {}) => ({
  format: 'slowpath.gap-explanation/2',
  basis: 'clock',
  reason: null,
  sentence: 'Gap of 7.0 ms in goroutine 7 (main.serve): it was runnable and waited 6.0 ms for a P.',
  gap: { duration_ns: 7_000_000 },
  trace: { artifact_id: 't1', name: 'exec.trace', from_ns: 5 },
  goroutine: { id: 7, group: 'main.serve' },
  parts: [
    {
      state: 'runnable',
      reason: 'preempted',
      ns: 6_000_000,
      times: 2,
      occupancy: [
        { kind: 'user', group: HOSTILE_NAME, ns: 5_400_000 },
        { kind: 'idle', group: '', ns: 600_000 },
      ],
    },
    {
      state: 'blocked',
      reason: 'chan receive',
      ns: 1_000_000,
      times: 1,
      stack: [
        { function: 'runtime.chanrecv1', file: 'chan.go', line: 400 },
        { function: 'main.wait', file: 'main.go', line: 12 },
      ],
      waker: { id: 3, group: 'main.answer', stack: [] },
    },
  ],
  pieces: [
    { from_ns: 0, to_ns: 6_000_000, state: 'runnable', reason: 'preempted' },
    { from_ns: 6_000_000, to_ns: 7_000_000, state: 'blocked', reason: 'chan receive' },
  ],
  pieces_total: 2,
  processors: [],
  procs: 2,
  gc: { mark_ns: 0, stop_ns: 0, cycles: 0 },
  samples: [],
  caveats: ['The goroutine was found by the clock.'],
  looked: [],
  ...changed,
});
