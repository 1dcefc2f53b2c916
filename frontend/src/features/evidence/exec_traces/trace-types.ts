/** Types of the document of execution traces. Times are ns since the first event of a trace. */
import type {
  TraceFacts,
  TracePage,
  TraceSeries,
  WireLongestWait,
  WireTraceSide,
} from '../../../api';
import { requireFormat } from '../../../lib/document-format';

export type {
  SchedulerLatency,
  WaiterRow as Waiter,
  OccupancyRow as Occupancy,
  OccupancyPart,
  MutatorUtilization as Mmu,
  GcSummary as GcSide,
  BlockedRow,
} from '../../../api';

/** The document of one trace does not contain its artifact ID; the caller adds it. */
type Identified<T extends { artifact: string | null }> = Omit<T, 'artifact'> & { artifact: string };

export type TraceMetadata = Identified<TraceFacts>;
export type TraceSide = Omit<WireTraceSide, 'traces'> & { traces: TraceMetadata[] };
export type SeriesOfTrace = Identified<TraceSeries>;
export type LongestWait = Identified<WireLongestWait>;
export type SideName = LongestWait['side'];
export type TraceDocument = Omit<TracePage, 'sides' | 'series' | 'worst'> & {
  sides: { base: TraceSide; candidate: TraceSide | null };
  series: SeriesOfTrace[];
  worst: LongestWait[];
};

/** @throws Error with a readable message when the response has another format. */
export function readTraces(response: unknown, artifactId = ''): TraceDocument {
  const page = requireFormat<TracePage>(response, 'slowpath.trace-comparison/2', 'traces');
  const identify = <T extends { artifact: string | null }>(one: T): Identified<T> => ({
    ...one,
    artifact: one.artifact ?? artifactId,
  });
  const sideOf = (side: WireTraceSide): TraceSide => ({
    ...side,
    traces: side.traces.map(identify),
  });
  const { base, candidate } = page.sides;
  if (base === null) throw new Error('The response has no base.');
  return {
    ...page,
    sides: { base: sideOf(base), candidate: candidate && sideOf(candidate) },
    series: page.series.map(identify),
    worst: page.worst.map(identify),
  };
}

/** Returns the document of one trace, with the artifact ID of its request. */
export function readTrace(response: unknown, artifactId: string): TraceDocument {
  const page = readTraces(response, artifactId);
  const identify = <T extends { artifact: string }>(one: T): T => ({
    ...one,
    artifact: artifactId,
  });
  const { base } = page.sides;
  return {
    ...page,
    sides: { base: { ...base, traces: base.traces.map(identify) }, candidate: null },
    series: page.series.map(identify),
    worst: page.worst.map(identify),
  };
}
