export { ServiceMapPage, SpanSetPage, SpansSection, WaterfallPage } from './Lazy';
export { SpanFacts } from './SpanFacts';
export type { SpansArrival } from './wording';
export {
  GAP_COLUMNS,
  GAP_QUANTILES,
  readMapSearch,
  readSpansSearch,
  readWaterfallSearch,
  spansFields,
  spansSearchOf,
  spansViewOf,
  tracesSearchOf,
  tracesViewOf,
  waterfallSearchOf,
  waterfallViewOf,
  type SpansView,
  type TracesView,
  type WaterfallView,
} from './url';
