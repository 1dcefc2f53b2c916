export { ServiceMapPage, SpanSetPage, SpansSection, WaterfallPage } from './LazySpans';
export { SpanFacts } from './SpanFacts';
export type { SpansArrival } from './span-wording';
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
} from './span-url';
