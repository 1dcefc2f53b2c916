/** The explanation of a gap from execution traces, `slowpath.gap-explanation/1`, and its request. */
import { queryOptions } from '@tanstack/react-query';
import * as z from 'zod/mini';
import { calls } from '../../../api';
import { GOROUTINE_STATES } from '../../../engine/spans/goroutine-states';

const FORMAT = 'slowpath.gap-explanation/1';

const state = z.catch(z.enum(GOROUTINE_STATES), 'unknown');
const occupantSchema = z.object({ kind: z.string(), group: z.string(), ns: z.number() });
const frame = z.object({ function: z.string(), file: z.string(), line: z.number() });
const part = z.object({
  state,
  reason: z.string(),
  ns: z.number(),
  times: z.number(),
  blame: z.optional(z.array(occupantSchema)),
  stack: z.optional(z.array(frame)),
  waker: z.optional(
    z.nullable(z.object({ id: z.number(), group: z.string(), stack: z.array(frame) })),
  ),
});
const explanation = z.object({
  format: z.literal(FORMAT),
  basis: z.enum(['id', 'clock', 'nobody', 'nothing']),
  why: z.nullable(z.string()),
  sentence: z.string(),
  gap: z.object({ duration_ns: z.number() }),
  trace: z.nullable(z.object({ artifact_id: z.string(), name: z.string() })),
  goroutine: z.nullable(z.object({ id: z.number(), group: z.string() })),
  parts: z.array(part),
  pieces: z.array(z.object({ from_ns: z.number(), to_ns: z.number(), state, reason: z.string() })),
  pieces_total: z.number(),
  processors: z.array(occupantSchema),
  procs: z.number(),
  gc: z.object({ mark_ns: z.number(), stop_ns: z.number(), cycles: z.number() }),
  samples: z.array(z.object({ count: z.number(), stack: z.array(frame) })),
  doubts: z.array(z.string()),
  looked: z.array(z.object({ artifact_id: z.string(), name: z.string(), why: z.string() })),
});

export type GapExplanation = z.infer<typeof explanation>;
export type GapExplanationPart = z.infer<typeof part>;
export type StackFrame = z.infer<typeof frame>;

/** A gap with a requested explanation, and its progress. */
export type ExplainedGap = NonNullable<
  Awaited<ReturnType<typeof calls.gapExplanationsList>>
>[number];

/** @throws Error in words of a page when the answer is of another format. */
export function readExplanation(told: unknown): GapExplanation {
  const parsed = explanation.safeParse(told);
  if (parsed.success) return parsed.data;
  throw new Error('This page cannot read the stored format of the explanation.');
}

/** What was asked about the gaps of a trace; by the kind of its jobs' subject, so that events refresh it. */
export const explanationsQuery = (artifact_id: string, trace_id: string) =>
  queryOptions({
    queryKey: ['explanation', artifact_id, trace_id],
    queryFn: ({ signal }) => calls.gapExplanationsList({ path: { artifact_id, trace_id }, signal }),
  });

export const requestExplanation = (
  artifact_id: string,
  trace_id: string,
  gap: { span: number; gap: number },
) => calls.gapExplanationsCreate({ path: { artifact_id, trace_id }, body: gap });

export const isOpen = (one: Pick<ExplainedGap, 'state'>): boolean =>
  one.state === 'waiting' || one.state === 'running';
