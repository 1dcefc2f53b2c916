export { TracePage, TraceSection } from './LazyTraces';
export type { FindingTarget } from './scroll-to-finding';
export type { GoroutineWays, ProfileSides } from './GoroutineProfiles';
export { TraceFacts } from './TraceFacts';
export {
  GROUP_COLUMNS,
  LEVEL_SETS,
  QUANTILES,
  DEFAULT_TRACE_VIEW,
  isTraceStep,
  readTraceSearch,
  traceFields,
  traceSearchOf,
  traceViewOf,
  type TraceView,
} from './trace-url';
export { traceSnapshotRequests } from './trace-snapshot-requests';
