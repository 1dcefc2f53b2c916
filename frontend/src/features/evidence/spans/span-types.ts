/**
 * The page data of spans, `slowpath.spans-comparison/1` and `slowpath.spans-trace/1`, as the API tells them: read once,
 * checked once, and then trusted. What a writer may leave out is null here. Times are nanoseconds.
 */
import * as z from 'zod/mini';

const SETS = 'slowpath.spans-comparison/1';
const TRACE = 'slowpath.spans-trace/1';

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
const count = z.pipe(
  z.optional(z.nullable(z.number())),
  z.transform((value) => value ?? 0),
);
const text = z.pipe(
  z.optional(z.nullable(z.string())),
  z.transform((value) => value ?? ''),
);
const STATES = ['noise', 'more', 'less', 'only-candidate', 'only-base'] as const;
const state = z.catch(z.enum(STATES), 'noise');
const sideName = z.catch(z.enum(['base', 'candidate']), 'base');
const yes = z.catch(z.boolean(), false);

const rootOp = z.object({
  op: z.string(),
  service: z.string(),
  n: count,
  p50_ns: count,
  p90_ns: count,
  p99_ns: count,
});
const side = z.object({
  label: text,
  artifacts: listOf(z.string()),
  traces: count,
  spans: count,
  seconds: number,
  root_ops: listOf(rootOp),
});
const service = z.object({
  service: z.string(),
  spans: count,
  errors: count,
  p50_ns: count,
  p99_ns: count,
});
const edgeSide = orNull(
  z.object({ calls: count, requests: count, ratio: number, p99_ns: number, errors: count }),
);
const edge = z.object({
  caller: z.string(),
  callee: z.string(),
  base: edgeSide,
  candidate: edgeSide,
  state,
});
const gapSide = orNull(
  z.object({
    n: count,
    suspect: count,
    p50_ns: count,
    p90_ns: count,
    p99_ns: count,
    per_request_ns: count,
    share: count,
  }),
);
const quantileChange = orNull(
  z.object({ ratio: number, difference: number, low: number, high: number, q_value: number }),
);
const gap = z.object({
  edge: z.string(),
  service: z.string(),
  op: z.string(),
  previous: z.string(),
  next: z.string(),
  base: gapSide,
  candidate: gapSide,
  change: orNull(
    z.object({
      quantile: number,
      ratio: number,
      difference: number,
      low: number,
      high: number,
      q_value: number,
    }),
  ),
  /** Documents written before it was there have only `change`, of one quantile. */
  changes: orNull(z.object({ p50: quantileChange, p90: quantileChange, p99: quantileChange })),
  state,
  leaf: yes,
});
const pathSide = orNull(z.object({ ns_per_request: count, share: count }));
const critical = z.object({
  path: listOf(z.string()),
  service: z.string(),
  op: z.string(),
  base: pathSide,
  candidate: pathSide,
  low: number,
  high: number,
  state,
});
const callsSide = orNull(
  z.object({ n: count, calls: count, mean: count, p99: count, max: count, errors: count }),
);
const amplification = z.object({
  edge: z.string(),
  caller: text,
  op: text,
  callee: text,
  base: callsSide,
  candidate: callsSide,
  ratio: number,
  low: number,
  high: number,
  of: z.catch(z.enum(['ratio', 'difference']), 'difference'),
  q_value: number,
  state,
});
const fanOut = z.object({
  side: sideName,
  caller: z.string(),
  callee: z.string(),
  n: count,
  spans: count,
  callee_p99_ns: number,
  expected_p99_ns: number,
  observed_p99_ns: number,
  share: number,
  explains: yes,
});
const repeated = z.object({
  side: sideName,
  caller: z.string(),
  callee: z.string(),
  spans: count,
  traces: count,
  mean: count,
  max: count,
  total_ns: count,
});
const attribute = z.object({
  key: z.string(),
  value: z.string(),
  slow_share: count,
  fast_share: count,
  q_value: number,
});
const traceRow = z.object({
  artifact: text,
  trace_id: z.string(),
  root: z.string(),
  service: z.string(),
  start_ns: count,
  duration_ns: count,
  spans: count,
  errors: count,
  gap_ns: count,
  side: sideName,
});

const sets = z.object({
  format: z.literal(SETS),
  sides: z.object({ base: orNull(side), candidate: orNull(side) }),
  services: listOf(service),
  edges: listOf(edge),
  order: listOf(z.string()),
  gaps: listOf(gap),
  critical: listOf(critical),
  amplification: listOf(amplification),
  fan_out: listOf(fanOut),
  retries: listOf(repeated),
  n_plus_one: listOf(repeated),
  attributes: listOf(attribute),
  traces: listOf(traceRow),
});

const pair = z.tuple([z.string(), z.string()]);
const span = z.object({
  id: text,
  parent: orNull(z.int().check(z.nonnegative())),
  depth: count,
  service: text,
  instance: text,
  op: text,
  kind: text,
  start_ns: z.number(),
  duration_ns: z.number(),
  status: text,
  flags: listOf(z.string()),
  skew_ns: count,
  attributes: listOf(pair),
  events: listOf(z.object({ at_ns: z.number(), name: text })),
  links: listOf(z.object({ trace_id: text, span_id: text })),
  self_ns: count,
  gaps: listOf(
    z.object({
      start_ns: z.number(),
      end_ns: z.number(),
      previous: text,
      next: text,
      suspect: yes,
    }),
  ),
});
const oneTrace = z.object({
  format: z.literal(TRACE),
  trace_id: z.string(),
  start_ns: count,
  duration_ns: count,
  spans_total: count,
  spans: listOf(span),
  critical_path: listOf(
    z.object({
      row: z.int().check(z.nonnegative()),
      start_ns: z.number(),
      end_ns: z.number(),
    }),
  ),
  services: listOf(z.string()),
});

export type SpanSets = z.infer<typeof sets>;
export type Gap = z.infer<typeof gap>;
export type CriticalShare = z.infer<typeof critical>;
export type Amplification = z.infer<typeof amplification>;
export type Edge = z.infer<typeof edge>;
export type FanOut = z.infer<typeof fanOut>;
export type RepeatedCalls = z.infer<typeof repeated>;
export type Attribute = z.infer<typeof attribute>;
export type TraceRow = z.infer<typeof traceRow>;
export type Span = z.infer<typeof span>;
export type TraceDetail = z.infer<typeof oneTrace>;
export type SideName = 'base' | 'candidate';

function read<T>(
  type: { safeParse: (told: unknown) => z.core.util.SafeParseResult<T> },
  told: unknown,
  what: string,
  format: string,
): T {
  const named = (told as { format?: unknown } | null)?.format;
  if (named !== format) {
    const name = typeof named === 'string' ? named : 'unknown';
    throw new Error(`This page cannot read ${what} in the stored format ${name}.`);
  }
  const parsed = type.safeParse(told);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new Error(
    `This page cannot read the response for ${what}: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`,
  );
}

/** @throws Error with a readable message when the response has another format or does not match its own. */
export const readSets = (told: unknown): SpanSets =>
  read<SpanSets>(sets, told, 'the span set', SETS);

/** One set alone, whose traces are called by the id it was asked with. */
export function readSet(told: unknown, artifactId: string): SpanSets {
  const one = readSets(told);
  return { ...one, traces: one.traces.map((row) => ({ ...row, artifact: artifactId })) };
}

/** Spans whose parent does not stand above them are roots: what is drawn needs no more than that. */
export function readTrace(told: unknown): TraceDetail {
  const one = read<TraceDetail>(oneTrace, told, 'the trace', TRACE);
  const spans = one.spans.map((each, row) =>
    each.parent !== null && each.parent >= row ? { ...each, parent: null } : each,
  );
  return { ...one, spans };
}
