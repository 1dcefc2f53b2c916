/** Drawn on the pages of traces only: never part of the first load. */
export { Waterfall, windowAround, type WaterfallProps } from './Waterfall';
export { GapStrip, StateSwatch } from './GapStrip';
export { gapWords } from './SpanRow';
