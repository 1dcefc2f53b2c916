/** Charts for pages of traces only; never part of the first load. */
export { Waterfall } from './Waterfall';
export { viewportAround } from './waterfall-keys';
export { GapStrip, StateSwatch } from './GapStrip';
