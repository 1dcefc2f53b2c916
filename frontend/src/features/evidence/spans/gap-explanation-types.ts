/** Types of the explanation of a gap from execution traces, and its requests. */
import { queryOptions } from '@tanstack/react-query';
import { calls } from '../../../api';

export type {
  GapExplanationDocument as GapExplanation,
  GapPart as GapExplanationPart,
  GapFrame as StackFrame,
} from '../../../api';

/** A gap with a requested explanation, and its progress. */
export type ExplainedGap = NonNullable<
  Awaited<ReturnType<typeof calls.gapExplanationsList>>
>[number];

/**
 * Loads the requested explanations of a trace. The key starts with the kind of the jobs' subject,
 * so events refetch it.
 */
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
