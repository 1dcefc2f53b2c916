/** The front door of the engine: pure models, layouts, words and numbers. Types live with their things. */
export { layoutPath } from './belief-path';
export type { LaidLevel, PathBar, PathLayout, PathLevel } from './belief-path';
export { layoutLanes } from './probe-lanes';
export type { LaneBox, LaneProbe, LanesLayout, LaneTick } from './probe-lanes';
export { layoutLine, sparkLevels } from './build-line';
export type { LineDot, LineInput, LineLayout, LineLevel } from './build-line';
export { CHANGE_WORDS, FILL, FILL_COUNT, STATE, changeLevel, changeOf } from './change';
export type { Change, ChangeState } from './change';
export { ColumnError, ColumnFile } from './columns';
export type { ColumnProblem } from './columns';
export { EMPTY_VIEW, FLAME_MODES, ORIENTATIONS, pathKey } from './flame-view';
export type { FlameMode, FlameView, Granularity, NamePattern, Orientation } from './flame-view';
export {
  columnScale,
  formatCount,
  formatDelta,
  formatTicks,
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
export { roundTicks } from './round-ticks';
export { alongAxis, ratioAxis } from './ratio-axis';
export type { RatioAxis, RatioRange } from './ratio-axis';
export type { Bytes, CssPixels, Nanoseconds, Raw, Shown } from './units';
export { changeWords, perWords, tellChange } from './words';
export type { ChangeTold } from './words';
export type { Basis, DiffHeader, SideTold } from './diff-part';
export { NO_NODE, readDiffPart } from './diff-part';
export { basisIndex } from './diff-tree';
export type { Scales } from './draft';
export type { Placement, Side } from './flame-layout';
export { CALLERS_KEY_PREFIX, FlameModel } from './flame-model';
export type { ArrangeWish, Arranged, ZoomTarget } from './flame-model';
export { deepestLevel, keyOfFrame } from './flame-path';
export { Scene, frameAtPlace, tellRest } from './flame-scene';
export type { Rest, RestTold, SceneWindow } from './flame-scene';
export { hitsWithin } from './flame-search';
export type { SearchHits } from './flame-search';
export {
  FRAME_PX,
  NARROW_PX,
  ROW_PX,
  WHOLE_SPAN,
  clampSpan,
  extentOf,
  frameWidth,
  levelAtRow,
  panSpan,
  panesOf,
  roomAround,
  rowOf,
  spanFrame,
  zoomSpan,
} from './flame-window';
export type { Extent, Pane, Panes, Span } from './flame-window';
export { NAME_MAX_SHOWN, fitLabel, labelForms, visibleName } from './frame-label';
export type { FrameTable } from './frames';
export { levelCount, levelOf, pathTo } from './frames';
export { readFunctions, readLines } from './function-table';
export type { FunctionJudgement, FunctionTable, LineRow } from './function-table';
export { compilePattern, exactly, isQuick, literal } from './name-pattern';
export { flameSvg, xmlText } from './flame-svg';
export type { SvgFrame, SvgGraph, SvgRest } from './flame-svg';
export { stateLine } from './state-line';
export type { DrawnCounts } from './state-line';
