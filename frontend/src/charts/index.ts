/** The charts. They get data as props and report input by callbacks. */
export { PosteriorChart } from './bisect/PosteriorChart';
export type { PosteriorChartLevel, ChosenCandidate } from './bisect/PosteriorChart';
export { DeploymentCostBar } from './bisect/DeploymentCostBar';
export { MeasurementDots } from './bisect/MeasurementDots';
export type { MeasurementRow } from './bisect/MeasurementDots';
export { ProbeTimeline } from './bisect/ProbeTimeline';
export { VerdictIcon } from './bisect/VerdictIcon';
export type { ProbeVerdict } from './bisect/VerdictIcon';
export { ChartPicture } from './picture/ChartPicture';
export { BuildSeriesChart } from './builds/BuildSeriesChart';
export type { BuildSeriesStep, SeriesLimit } from './builds/BuildSeriesChart';
export { Sparkline } from './builds/Sparkline';
export { DailyBars } from './days/DailyBars';
export { EffectAxis, EffectInterval } from './interval/EffectInterval';
export type { FlameGraphHandle, FlameSource, SearchTotals, Picture } from './flame/flame-props';
export { FlameGraph } from './flame/FlameGraph';
export type { CallGraphHandle } from './call-graph/CallGraph';
