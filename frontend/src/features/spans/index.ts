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
  waterfallSearchOf,
  waterfallViewOf,
  type SpansView,
  type WaterfallView,
} from './url';
