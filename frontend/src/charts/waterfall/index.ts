/** Drawn on the pages of traces only: never part of the first load. */
export { Waterfall, viewportAround, type WaterfallProps } from './Waterfall';
export { GapStrip, StateSwatch } from './GapStrip';
export { describeGap } from './SpanRow';
