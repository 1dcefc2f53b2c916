/** The front door of the engine: pure models, layouts, words and numbers. Types live with their things. */
export { CHANGE_WORDS, STATE, changeLevel, changeOf } from './change';
export type { Change, ChangeState } from './change';
export { ColumnError, ColumnFile } from './columns';
export type { ColumnProblem } from './columns';
export { EMPTY_VIEW, FLAME_MODES, ORIENTATIONS, pathKey } from './flame-view';
export type { FlameMode, FlameView, Granularity, NamePattern, Orientation } from './flame-view';
export {
  columnScale,
  formatCount,
  formatDelta,
  formatNumber,
  formatProbability,
  formatRatio,
  formatRatioRange,
  formatShare,
  formatValue,
  unitOf,
} from './format';
export type { ColumnScale, Quantity, UnitOf } from './format';
export { NameTable } from './name-table';
export { alongAxis, ratioAxis } from './ratio-axis';
export type { RatioAxis, RatioRange } from './ratio-axis';
export type { Bytes, CssPixels, Nanoseconds, Raw, Shown } from './units';
export { changeWords, perWords, tellChange } from './words';
export type { ChangeTold } from './words';
