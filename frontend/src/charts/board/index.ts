/** Panels of the board: a door of their own, so that no other page loads them. */
export { BoardPanel, type BoardPanelProps } from './BoardPanel';
export { CursorSlider } from './CursorSlider';
export type { DeployMark, PanelMarks, StepMark } from './MarkLayer';
export { TimeAxis } from './TimeAxis';
export type { PlotPlace } from './plot-place';
export { useTokens, useWidth, type Tokens } from '../plot/tokens';
