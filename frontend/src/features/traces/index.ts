export { TracePage, TraceSection } from './Lazy';
export type { Arrival } from './arrival';
export type { GoroutineWays, ProfileSides } from './GoroutineProfiles';
export { TraceFacts } from './TraceFacts';
export {
  GROUP_COLUMNS,
  LEVEL_SETS,
  QUANTILES,
  USUAL_TRACE_VIEW,
  isTraceStep,
  readTraceSearch,
  traceFields,
  traceSearchOf,
  traceViewOf,
  type TraceView,
} from './url';
export { behindTraces } from './behind';
