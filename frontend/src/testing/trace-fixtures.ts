/** Small, complete traces as the API sends them; a test sets only the fields that it is about. */
import type { TimelineTileHeader } from '../api';
import { writeColumns } from './column-writer';

type Fields = Record<string, unknown>;

const aTrace = (artifact: string, changed: Fields = {}): Fields => ({
  artifact,
  name: `${artifact}.trace`,
  duration_ns: 10e9,
  gomaxprocs: 4,
  events: 340_110,
  lost: null,
  recording: 'ordinary',
  warnings: [],
  ...changed,
});

const delays = (p99_ns: number): Fields => ({
  waits: 4000,
  waits_per_second: 400,
  total_ns: 4000 * p99_ns,
  censored: 0,
  p50_ns: p99_ns / 20,
  p90_ns: p99_ns / 4,
  p99_ns,
  p999_ns: p99_ns * 2,
  p9999_ns: p99_ns * 4,
  max_ns: p99_ns * 5,
  exceed_per_second: { '1ms': 1 },
  hidden_p50_ns: null,
  hidden_p99_ns: null,
});

export function aWaiter(group: string, reason: string, changed: Fields = {}): Fields {
  const change = { ratio: 19, low: 16.2, high: 22.4, q_value: 0.0001 };
  return {
    waiter: `${group}|${reason}`,
    group,
    reason,
    base: delays(230_000),
    candidate: delays(4_370_000),
    share_of_wait_base: 0.2,
    share_of_wait_candidate: 0.5,
    change: { p50: change, p90: change, p99: change, p999: change },
    state: 'more',
    verdict_base: 'mixed',
    verdict_candidate: 'cpu-hog',
    start: group,
    stack: [],
    wakers: [],
    ...changed,
  };
}

export const noChange: Fields = {
  state: 'noise',
  candidate: delays(240_000),
  share_of_wait_candidate: 0.3,
  verdict_candidate: 'mixed',
  change: {
    p50: null,
    p90: null,
    p99: { ratio: 1.04, low: 0.9, high: 1.2, q_value: 0.6 },
    p999: null,
  },
};

export function aWait(changed: Fields = {}): Fields {
  return {
    side: 'candidate',
    artifact: 'c1',
    index: 0,
    waiter: 'main.batcher|network',
    goroutine: 17,
    start_ns: 7.214e9,
    duration_ns: 4_368_000,
    queue_ahead: 230,
    overtakes: 214,
    waker: null,
    waker_goroutine: null,
    proc: 1,
    verdict: 'cpu-hog',
    occupancy: [
      { class: 'user|main.hog', kind: 'user', group: 'main.hog', ns: 4_000_000 },
      { class: 'idle', kind: 'idle', group: null, ns: 368_000 },
    ],
    block_stack: ['internal/poll.(*FD).Read', 'main.batcher'],
    waker_stack: [],
    has_detail: true,
    ...changed,
  };
}

export const aGcSide = (changed: Fields = {}): Fields => ({
  cycles_per_second: 0.9,
  cpu_fraction: 0.04,
  mark_wall_share: 0.01,
  idle_ns_per_second: 0,
  assist_ns_per_second: 0,
  stw: [],
  assist_by_group: [],
  heap_live_max: 0,
  heap_goal_max: 0,
  allocated_bytes_per_second: 0,
  ...changed,
});

export function aTraceDocument(changed: Fields = {}): Fields {
  const part = { kind: 'user', group: 'main.hog', low: null, high: null };
  return {
    format: 'slowpath.trace-comparison/2',
    sides: {
      base: {
        label: 'a41c0de',
        traces: [aTrace('b1')],
        duration_ns: 10e9,
        wakes_per_second: 1200,
        wait_seconds_per_second: 0.1,
      },
      candidate: {
        label: 'e07b2f9',
        traces: [aTrace('c1')],
        duration_ns: 10e9,
        wakes_per_second: 1180,
        wait_seconds_per_second: 3.2,
      },
    },
    groups: [
      aWaiter('main.server', 'network', noChange),
      aWaiter('main.batcher', 'network'),
      aWaiter('main.late', 'sleep', {
        ...noChange,
        state: 'only-candidate',
        base: null,
        change: { p50: null, p90: null, p99: null, p999: null },
      }),
    ],
    shift: [
      {
        waiter: 'main.batcher|network',
        points: [0.5, 0.9, 0.99, 0.999].map((q, at) => ({
          q,
          base_ns: 10_000 * 4 ** at,
          candidate_ns: 100_000 * 6 ** at,
          low_ns: 80_000 * 6 ** at,
          high_ns: 120_000 * 6 ** at,
        })),
      },
    ],
    occupancy: [
      {
        waiter: 'main.batcher|network',
        base_total_ns: 5e6,
        candidate_total_ns: 4e9,
        parts: [
          {
            ...part,
            class: 'user|main.hog',
            base_share: 0,
            candidate_share: 0.93,
            base_ns_per_wait: 0,
            candidate_ns_per_wait: 1_016_000,
            new: true,
          },
          {
            ...part,
            class: 'gc-dedicated',
            kind: 'gc-dedicated',
            group: null,
            base_share: 1,
            candidate_share: 0.07,
            base_ns_per_wait: 56_000,
            candidate_ns_per_wait: 77_000,
            new: false,
          },
        ],
      },
    ],
    mmu: {
      window_ns: [1e4, 1e6, 1e7, 1e9],
      base: [0, 0.5, 0.9, 0.95],
      candidate: [0, 0.4, 0.84, 0.93],
      base_low: null,
      base_high: null,
      candidate_low: null,
      candidate_high: null,
    },
    gc: { base: aGcSide(), candidate: null },
    series: [
      {
        side: 'candidate',
        artifact: 'c1',
        name: 'c1.trace',
        bin_ns: 1e9,
        duration_ns: 3e9,
        level: 4,
        columns: { runnable: { mean: [1, 2, 3], max: [4, 5, 60] }, preemptions: [1, 2, 4] },
      },
    ],
    worst: [aWait(), aWait({ index: 1, waiter: 'main.server|network', duration_ns: 9e6 })],
    ...changed,
  };
}

export const wholeTrace = aTrace;

export type Run = [
  proc: number,
  from: number,
  to: number,
  heldBy: number,
  goroutine?: number,
  merged?: number,
];

/**
 * Returns a tile of these runs: processor, from, to, class, goroutine, merged. The wait is 100..200
 * of 0..300 on P1.
 */
export function aTile(runs: Run[], changed: Fields = {}): ArrayBuffer {
  return writeColumns(
    {
      format: 'slowpath.trace-tile',
      format_version: 1,
      index: 0,
      level: 0,
      number: 0,
      numbers: 1,
      finer: 0,
      start_ns: 0,
      end_ns: 300,
      wait_start_ns: 100,
      wait_end_ns: 200,
      wait_proc: 1,
      wait_goroutine: 17,
      classes: [
        { kind: 'user', group: 'main.hog' },
        { kind: 'user', group: 'main.batcher' },
        { kind: 'idle', group: null },
      ],
      ...changed,
    } satisfies TimelineTileHeader,
    {
      segment_proc: Uint16Array.from(runs, ([proc]) => proc),
      segment_start_ns: BigInt64Array.from(runs, ([, from]) => BigInt(from)),
      segment_end_ns: BigInt64Array.from(runs, ([, , to]) => BigInt(to)),
      segment_class: Uint32Array.from(runs, ([, , , heldBy]) => heldBy),
      segment_goroutine: BigUint64Array.from(runs, ([, , , , goroutine = 0]) => BigInt(goroutine)),
      segment_merged: Uint32Array.from(runs, ([, , , , , merged = 1]) => merged),
    },
  );
}
