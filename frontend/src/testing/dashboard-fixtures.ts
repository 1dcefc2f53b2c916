/** A `slowpath.board` file as the server writes it, generated with a fixed seed. */
import type { DashboardChangePoint, DashboardDeployment, DashboardHeader, PanelGap } from '../api';
import type { DashboardRow, QuantileId } from '../engine/dashboard/dashboard-file';
import { writeColumns } from './column-writer';

type Drawn = {
  name: string;
  commit: string;
  instances: number;
  rate: number;
  seconds: [number, number, number];
  /** The factor by which p99 increases at the step. */
  step: number;
  errors: [number, number];
  gap?: boolean;
  gauges?: [string, string][];
};

const FLOW: Drawn[] = [
  ['gateway', 'b77d0e2a', 6, 118, [0.0052, 0.014, 0.039], 2.2, [0.03, 0.002]],
  ['distributor', '5f3c1e8d', 4, 118, [0.003, 0.009, 0.026], 3.1, [0.012, 0.002]],
  ['ingester', '9c41e0a7', 12, 354, [0.0024, 0.0046, 0.0081], 1, [0.004, 0.001]],
  ['querier', 'a9e11b4c', 3, 42, [0.021, 0.088, 0.24], 1, [0.05, 0.006]],
  ['store', '0d3f5c1e', 3, 205, [0.0016, 0.0038, 0.011], 1, [0.002, 0.001]],
].map(
  ([name, commit, instances, rate, seconds, step, errors]) =>
    ({ name, commit, instances, rate, seconds, step, errors }) as Drawn,
);
const MORE = ['compactor', 'ruler', 'alerts', 'auth', 'billing', 'search', 'export'];

export type DrawnDashboard = {
  services?: number;
  points?: number;
  stepMs?: number;
  toMs?: number;
  against?: boolean;
  instances?: boolean;
  gauges?: boolean;
  /** The service that is split by its route. */
  split?: string;
  empty?: string;
  /** The indexes of the services whose rows are in the file; all by default. */
  shown?: number[];
  /** Replaces fields of the header. */
  header?: Record<string, unknown>;
};

export const DASHBOARD_TO_MS = Date.UTC(2026, 10, 18, 16, 0);
export const serviceId = (index: number): string =>
  `00000000-0000-4000-8000-00000000${String(5000 + index).padStart(4, '0')}`;
export const DEPLOY_ID = '00000000-0000-4000-8000-000000000701';
export const OTHER_DEPLOY_ID = '00000000-0000-4000-8000-000000000702';
export const ENVIRONMENT = { id: '00000000-0000-4000-8000-000000000900', name: 'production' };

function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
const bell = (roll: () => number): number =>
  Math.sqrt(-2 * Math.log(roll() + 1e-9)) * Math.cos(6.2832 * roll());

function servicesOf(count: number): Drawn[] {
  return Array.from({ length: count }, (_, index) => {
    const known = FLOW[index];
    if (known) return { ...known, gap: known.name === 'store' };
    const like = FLOW[index % FLOW.length]!;
    return {
      ...like,
      name: `${MORE[(index - FLOW.length) % MORE.length]!}${index < 12 ? '' : `-${index}`}`,
      commit: `${(0xc0ffee + index * 7919).toString(16)}0`,
      step: 1,
    };
  });
}

type Grid = { fromMs: number; stepMs: number; points: number; stepAt: number };

function columnsOf(row: Drawn, index: number, grid: Grid, drawn: DrawnDashboard) {
  const { points, stepAt } = grid;
  const roll = createRandom(31 + index * 7);
  const none = (at: number) => row.gap === true && at >= points * 0.21 && at < points * 0.25;
  const made: Record<string, Float32Array> = {};
  const column = (name: string, of: (at: number) => number) => {
    made[`r${index}_${name}`] = Float32Array.from({ length: points }, (_, at) =>
      none(at) ? NaN : of(at),
    );
  };
  let walk = 0;
  const load = Array.from({ length: points }, (_, at) => {
    walk = walk * 0.8 + bell(roll) * 0.018;
    return row.rate * (1 + 0.09 * Math.sin((at * 240) / points / 46 + index * 0.2) + walk);
  });
  column('qps_5xx', (at) => load[at]! * row.errors[1] * (1 + Math.abs(bell(roll)) * 0.6));
  column('qps_4xx', (at) =>
    Math.max(0, load[at]! * row.errors[0] * (1 + 0.3 * Math.sin(at / 9) + 0.2 * bell(roll))),
  );
  column('qps_2xx', (at) => load[at]! * (1 - row.errors[0] - row.errors[1]));
  const steps = [1.02, 1 + (row.step - 1) * 0.32, row.step];
  (['p50', 'p90', 'p99'] as const).forEach((id, at) => {
    let noise = 0;
    const values = Float32Array.from({ length: points }, (_, time) => {
      noise = noise * 0.6 + bell(roll) * [0.025, 0.045, 0.075][at]!;
      const stepped = row.step > 1 && time >= stepAt ? steps[at]! : 1;
      return none(time) ? NaN : row.seconds[at]! * stepped * Math.exp(noise);
    });
    made[`r${index}_${id}`] = values;
    made[`r${index}_${id}_low`] = values.map((value) => value * 0.84);
    made[`r${index}_${id}_high`] = values.map((value) => value * 1.16);
    if (drawn.against)
      made[`r${index}_against_${id}`] = Float32Array.from(
        { length: points },
        (_, time) => row.seconds[at]! * (1 + 0.05 * Math.sin(time / 30)),
      );
  });
  column('mean', () => row.seconds[0] * 1.4);
  if (drawn.against) column('against_qps', (at) => load[at]! * 0.9);
  if (drawn.instances)
    for (let at = 0; at < Math.min(4, row.instances); at += 1)
      column(`inst${at}`, () => row.seconds[2] * (1 + 0.1 * at + 0.05 * bell(roll)));
  if (drawn.split === serviceId(index))
    [0, 1].forEach((part) =>
      column(`split${part}`, () => row.seconds[2] * (2 - part + 0.05 * bell(roll))),
    );
  if (drawn.gauges && index < 2)
    [0, 1].forEach((gauge) =>
      column(`gauge${gauge}`, (at) => 20 + 8 * Math.sin(at / 40 + gauge) + bell(roll)),
    );
  return made;
}

function rowOf(row: Drawn, index: number, grid: Grid, drawn: DrawnDashboard): DashboardRow {
  const { fromMs, stepMs, points, stepAt } = grid;
  const stepMsAt = fromMs + stepAt * stepMs;
  const gaps: PanelGap[] = row.gap
    ? [
        {
          from_ms: fromMs + Math.ceil(points * 0.21) * stepMs,
          to_ms: fromMs + Math.ceil(points * 0.25) * stepMs,
          reason: 'no data: scrape failed',
          panel: 'both',
        },
      ]
    : [];
  return {
    service: { id: serviceId(index), slug: row.name, name: row.name },
    build: {
      id: `00000000-0000-4000-8000-0000000006${String(index).padStart(2, '0')}`,
      commit: row.commit,
      label: null,
      since_ms: row.name === 'distributor' ? stepMsAt : fromMs - (index + 1) * 40 * 3_600_000,
    },
    instances: row.instances,
    latency: { histogram: 'classic', reason: null },
    requests: { found: true, reason: null },
    source: null,
    gaps,
    resets: [],
    late: [],
    gauges:
      drawn.gauges && index < 2
        ? [
            { key: 'queue', name: 'queue depth', unit: '', max: 40 },
            { key: 'flight', name: 'in flight', unit: '', max: null },
          ]
        : [],
    split_labels: [{ name: 'route', values: 5 }],
    split:
      drawn.split === serviceId(index)
        ? [
            { value: '/push', values: 1 },
            { value: null, values: 4 },
          ]
        : [],
    instance_names: drawn.instances
      ? Array.from({ length: Math.min(4, row.instances) }, (_, at) => `${row.name}-${at}`)
      : [],
    loaded: true,
  };
}

function deploymentsOf(grid: Grid): DashboardDeployment[] {
  const at = (share: number) => grid.fromMs + Math.round(share * grid.points) * grid.stepMs;
  return [
    {
      id: DEPLOY_ID,
      service_id: serviceId(1),
      build_id: '00000000-0000-4000-8000-000000000601',
      commit: '5f3c1e8d00000000000000000000000000000000',
      label: null,
      at_ms: grid.fromMs + grid.stepAt * grid.stepMs,
      ended_ms: null,
      verdict: 'slower',
      check: {
        verdict: 'slower',
        sentence: 'p99 takes 3.1 times as long (2.8 to 3.4)',
        basis: 'concurrent',
        minutes: 30,
        signal: 'p99',
        ratio: 3.1,
        low: 2.8,
        high: 3.4,
        changes: [],
        caveats: [],
      },
      commits: [
        {
          id: '5f3c1e8d00000000000000000000000000000000',
          title: 'ident: copy labels before they are sent on',
          author: 'Mira Kovač',
          url: 'https://git.example/northwind/distributor/commit/5f3c1e8',
        },
        {
          id: '71aa09b300000000000000000000000000000000',
          title: 'vendor: client 0.14',
          author: 'Jo Lindqvist',
          url: null,
        },
      ],
      url: 'https://ci.example/deploys/412',
    },
    {
      id: OTHER_DEPLOY_ID,
      service_id: serviceId(3),
      build_id: '00000000-0000-4000-8000-000000000603',
      commit: 'a9e11b4c00000000000000000000000000000000',
      label: null,
      at_ms: at(41 / 240),
      ended_ms: null,
      verdict: 'not-slower',
      check: null,
      commits: [],
      url: null,
    },
  ];
}

function changesOf(grid: Grid): DashboardChangePoint[] {
  const at_ms = grid.fromMs + grid.stepAt * grid.stepMs;
  const change = (index: number, ratio: number, before: number): DashboardChangePoint => ({
    id: `00000000-0000-4000-8000-0000000008${String(index).padStart(2, '0')}`,
    service_id: serviceId(index),
    signal: 'p99' satisfies QuantileId,
    gauge: null,
    at_ms,
    earliest_ms: at_ms - grid.stepMs,
    latest_ms: at_ms + grid.stepMs,
    before,
    after: before * ratio,
    ratio,
    ratio_low: ratio * 0.9,
    ratio_high: ratio * 1.1,
    cause: 'deployment',
    deployment_id: DEPLOY_ID,
    upstream_cause_service_id: null,
    sentence: '',
  });
  return [
    change(1, 3.1, 0.026),
    {
      ...change(0, 2.2, 0.039),
      cause: 'dependency',
      deployment_id: null,
      upstream_cause_service_id: serviceId(1),
    },
  ];
}

const RATIOS = [1, 3, 0.08, 4.2];

/** Returns the file of `GET /dashboard`: 5 services over 4 hours by default. */
export function aDashboard(drawn: DrawnDashboard = {}): ArrayBuffer {
  const { services = 5, points = 720, stepMs = 20_000, toMs = DASHBOARD_TO_MS } = drawn;
  const grid: Grid = {
    fromMs: toMs - (points - 1) * stepMs,
    stepMs,
    points,
    stepAt: Math.round((points * 122) / 240),
  };
  const rows = drawn.empty ? [] : servicesOf(services);
  const shown = rows
    .map((_, index) => index)
    .filter((index) => drawn.shown?.includes(index) ?? true);
  const columns = Object.assign(
    {},
    ...shown.map((index, at) =>
      Object.fromEntries(
        Object.entries(columnsOf(rows[index]!, index, grid, drawn)).map(([name, values]) => [
          name.replace(`r${index}_`, `r${at}_`),
          values,
        ]),
      ),
    ),
  ) as Record<string, Float32Array>;
  const header: DashboardHeader = {
    format: 'slowpath.board',
    format_version: 1,
    environment: ENVIRONMENT,
    environments: [ENVIRONMENT, { id: '00000000-0000-4000-8000-000000000901', name: 'staging' }],
    from_ms: grid.fromMs,
    step_ms: stepMs,
    points,
    now_ms: toMs,
    newest_ms: drawn.empty ? null : toMs - 15_000,
    order_source: 'spans',
    rows: shown.map((index) => rowOf(rows[index]!, index, grid, drawn)),
    services: rows.map((row, index) => rowOf(row, index, grid, drawn).service),
    services_total: rows.length,
    edges: RATIOS.flatMap((ratio, index) =>
      index + 1 < rows.length
        ? [{ caller: serviceId(index), callee: serviceId(index + 1), ratio }]
        : [],
    ),
    deployments: rows.length > 3 ? deploymentsOf(grid) : [],
    annotations: [],
    changes: rows.length > 1 ? changesOf(grid) : [],
    headline:
      rows.length > 1
        ? {
            service_id: serviceId(1),
            change_id: '00000000-0000-4000-8000-000000000801',
          }
        : null,
    time_shift: drawn.against ? { shift_ms: 7 * 86_400_000, label: 'last week' } : null,
    time_shift_reason: null,
    empty: drawn.empty ? { code: 'no-metrics', reason: drawn.empty } : null,
  };
  return writeColumns({ ...header, ...drawn.header }, columns);
}
