/** Types of the documents of span sets and of one trace. Times are nanoseconds. */
import type { GapRow, SpansPage, TraceWaterfall } from '../../../api';
import { requireFormat } from '../../../lib/document-format';

export type {
  GapRow as Gap,
  CriticalPathRow as CriticalShare,
  AmplificationRow as Amplification,
  EdgeRow as Edge,
  FanOutRow as FanOut,
  RepeatedCallsRow as RepeatedCalls,
  AttributeRow as Attribute,
  SlowTraceRow as TraceRow,
  SpansPage as SpanSets,
  WaterfallSpan as Span,
  TraceWaterfall as TraceDetail,
} from '../../../api';

export type SideName = 'base' | 'candidate';

/** @throws Error with a readable message when the response has another format. */
export function readSets(response: unknown): SpansPage {
  const page = requireFormat<SpansPage>(response, 'slowpath.spans-comparison/1', 'the span set');
  // The first documents have only `change`, which is of one quantile.
  const gaps: (Omit<GapRow, 'changes'> & Partial<Pick<GapRow, 'changes'>>)[] = page.gaps;
  return { ...page, gaps: gaps.map((gap) => ({ ...gap, changes: gap.changes ?? null })) };
}

/** Returns one set; its traces get the artifact ID of the request. */
export function readSet(response: unknown, artifactId: string): SpansPage {
  const page = readSets(response);
  return { ...page, traces: page.traces.map((row) => ({ ...row, artifact: artifactId })) };
}

/** Parses a trace. A span whose parent is not in a row above becomes a root. */
export function readTrace(response: unknown): TraceWaterfall {
  const page = requireFormat<TraceWaterfall>(response, 'slowpath.spans-trace/1', 'the trace');
  const spans = page.spans.map((each, row) =>
    each.parent !== null && each.parent >= row ? { ...each, parent: null } : each,
  );
  return { ...page, spans };
}
