/**
 * The page data of execution traces, `slowpath.trace-comparison/1`, as the API tells it: read once, checked once, and then
 * trusted. What a writer may leave out is null here. Times are nanoseconds, of a trace since its first event.
 */
import * as z from 'zod/mini';

export const FORMAT = 'slowpath.trace-comparison/1';

const orNull = <T extends z.ZodMiniType>(type: T) =>
  z.pipe(
    z.optional(z.nullable(type)),
    z.transform((value) => value ?? null),
  );
const listOf = <T extends z.ZodMiniType>(type: T) =>
  z.pipe(
    z.optional(z.nullable(z.array(type))),
    z.transform((value) => value ?? []),
  );
const number = orNull(z.number());
const text = orNull(z.string());
const count = z.pipe(
  z.optional(z.nullable(z.number())),
  z.transform((value) => value ?? 0),
);
/** A document of one trace does not contain its id: the caller knows it. */
const artifact = z.pipe(
  z.optional(z.nullable(z.string())),
  z.transform((value) => value ?? ''),
);
/** Long rows of numbers: validated as a whole, not number by number. */
const numbers = z.custom<(number | null)[]>((value) => Array.isArray(value));

/** A number, or what a decoded file says of it: the largest is what limits. */
const processors = z.pipe(
  z.union([z.number(), z.object({ max: z.number() }), z.null(), z.undefined()]),
  z.transform((told) => (typeof told === 'number' ? told : (told?.max ?? null))),
);
const lost = z.object({ bytes: number, share: number, after_ns: number, message: z.string() });
const trace = z.object({
  artifact,
  name: z.string(),
  duration_ns: count,
  gomaxprocs: z.optional(processors),
  events: count,
  lost: orNull(lost),
  recording: text,
  /** Of the file: "1.19". */
  header_version: text,
  warnings: listOf(z.string()),
});
const side = z.object({
  label: text,
  traces: listOf(trace),
  duration_ns: count,
  wakes_per_second: number,
  wait_seconds_per_second: number,
});

const delays = z.object({
  waits: count,
  waits_per_second: number,
  total_ns: count,
  censored: count,
  p50_ns: number,
  p90_ns: number,
  p99_ns: number,
  p999_ns: number,
  p9999_ns: number,
  max_ns: number,
  exceed_per_second: orNull(z.record(z.string(), z.nullable(z.number()))),
  hidden_p50_ns: number,
  hidden_p99_ns: number,
});
const change = z.object({ ratio: number, low: number, high: number, q_value: number });
const changes = z.object({
  p50: orNull(change),
  p90: orNull(change),
  p99: orNull(change),
  p999: orNull(change),
});
const STATES = ['noise', 'more', 'less', 'only-candidate', 'only-base'] as const;
const group = z.object({
  victim: z.string(),
  group: z.string(),
  reason: z.string(),
  base: orNull(delays),
  candidate: orNull(delays),
  share_of_wait_base: number,
  share_of_wait_candidate: number,
  change: orNull(changes),
  state: z.catch(z.enum(STATES), 'noise'),
  verdict_base: text,
  verdict_candidate: text,
  start: text,
  stack: listOf(z.string()),
  wakers: listOf(z.object({ group: text, base: number, candidate: number })),
});

const shift = z.object({
  victim: z.string(),
  points: listOf(
    z.object({
      q: z.number(),
      base_ns: number,
      candidate_ns: number,
      low_ns: number,
      high_ns: number,
    }),
  ),
});
const part = z.object({
  class: z.string(),
  kind: z.string(),
  group: text,
  base_share: number,
  candidate_share: number,
  base_ns_per_wait: number,
  candidate_ns_per_wait: number,
  low: number,
  high: number,
  new: z.catch(z.boolean(), false),
});
const blame = z.object({
  victim: z.string(),
  base_total_ns: number,
  candidate_total_ns: number,
  parts: listOf(part),
});

const curve = orNull(numbers);
const mmu = z.object({
  window_ns: z.array(z.number()),
  base: curve,
  candidate: curve,
  base_low: curve,
  base_high: curve,
  candidate_low: curve,
  candidate_high: curve,
});
const pause = z.object({
  reason: z.string(),
  count,
  p50_ns: number,
  p99_ns: number,
  max_ns: number,
  total_ns: number,
});
const gcSide = z.object({
  cycles_per_second: number,
  cpu_fraction: number,
  mark_wall_share: number,
  assist_ns_per_second: number,
  stw: listOf(pause),
  assist_by_group: listOf(z.object({ group: z.string(), ns_per_second: number })),
  heap_live_max: number,
  heap_goal_max: number,
  allocated_bytes_per_second: number,
});

const level = z.object({ mean: numbers, min: orNull(numbers), max: orNull(numbers) });
const sideName = z.enum(['base', 'candidate']);
const series = z.object({
  side: z.catch(sideName, 'base'),
  artifact,
  name: z.string(),
  bin_ns: z.number().check(z.positive()),
  duration_ns: count,
  columns: z.record(z.string(), z.union([numbers, level])),
});
const blamed = z.object({ class: z.string(), kind: z.string(), group: text, ns: z.number() });
const worst = z.object({
  side: z.catch(sideName, 'base'),
  artifact,
  index: z.int().check(z.nonnegative()),
  victim: z.string(),
  goroutine: number,
  start_ns: z.number(),
  duration_ns: z.number(),
  queue_ahead: number,
  overtakes: number,
  waker: text,
  waker_goroutine: number,
  proc: number,
  verdict: text,
  blame: listOf(blamed),
  block_stack: listOf(z.string()),
  waker_stack: listOf(z.string()),
  has_detail: z.catch(z.boolean(), false),
});

const document = z.object({
  format: z.literal(FORMAT),
  sides: z.object({ base: side, candidate: orNull(side) }),
  groups: listOf(group),
  shift: listOf(shift),
  blame: listOf(blame),
  mmu: orNull(mmu),
  gc: orNull(z.object({ base: orNull(gcSide), candidate: orNull(gcSide) })),
  series: listOf(series),
  worst: listOf(worst),
});

export type TraceDocument = z.infer<typeof document>;
export type TraceSide = z.infer<typeof side>;
export type TraceMetadata = z.infer<typeof trace>;
export type SchedulerLatency = z.infer<typeof delays>;
export type Waiter = z.infer<typeof group>;
export type Occupancy = z.infer<typeof blame>;
export type OccupancyPart = z.infer<typeof part>;
export type Mmu = z.infer<typeof mmu>;
export type GcSide = z.infer<typeof gcSide>;
export type SeriesOfTrace = z.infer<typeof series>;
export type LongestWait = z.infer<typeof worst>;
export type SideName = 'base' | 'candidate';

/** @throws Error with a readable message when the response has another format or does not match its own. */
export function readTraces(told: unknown): TraceDocument {
  const format = (told as { format?: unknown } | null)?.format;
  if (format !== FORMAT) {
    const name = typeof format === 'string' ? format : 'unknown';
    throw new Error(`This page cannot read the stored trace format ${name}.`);
  }
  const read = document.safeParse(told);
  if (read.success) return read.data;
  const issue = read.error.issues[0];
  throw new Error(
    `This page cannot read the traces response: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`,
  );
}

/** One trace alone, called by the id it was asked with. */
export function readTrace(told: unknown, artifactId: string): TraceDocument {
  const read = readTraces(told);
  const called = <T extends { artifact: string }>(one: T): T => ({ ...one, artifact: artifactId });
  const { base } = read.sides;
  return {
    ...read,
    sides: { base: { ...base, traces: base.traces.map(called) }, candidate: null },
    series: read.series.map(called),
    worst: read.worst.map(called),
  };
}
