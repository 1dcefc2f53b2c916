/** Panels of the dashboard: a separate entry, so that no other page loads them. */
export { DashboardPanel } from './DashboardPanel';
export { ChartPicture } from '../picture/ChartPicture';
export { CursorSlider } from './CursorSlider';
export type { DeploymentMarker, LimitMarker, PanelMarkers, ChangePointMarker } from './MarkerLayer';
export { TimeAxis } from './TimeAxis';
export type { PlotArea } from './plot-area';
export { useTokens, useWidth, type Tokens } from '../plot/color-tokens';
