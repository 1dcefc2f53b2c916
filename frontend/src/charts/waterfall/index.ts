/** Drawn on the pages of traces only: never part of the first load. */
export { Waterfall, type WaterfallProps } from './Waterfall';
export { viewportAround } from './waterfall-keys';
export { GapStrip, StateSwatch } from './GapStrip';
export { describeGap } from './SpanRow';
