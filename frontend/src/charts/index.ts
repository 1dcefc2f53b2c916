/** Charts: props in, events out. */
export { BeliefPath } from './bisect/BeliefPath';
export type { BeliefLevel, BeliefPathProps, Chosen } from './bisect/BeliefPath';
export { CostBar } from './bisect/CostBar';
export { EvidenceDots } from './bisect/EvidenceDots';
export type { EvidenceRow } from './bisect/EvidenceDots';
export { ProbeLanes } from './bisect/ProbeLanes';
export type { LanesProbe, ProbeLanesProps } from './bisect/ProbeLanes';
export { VerdictMark } from './bisect/VerdictMark';
export type { ProbeVerdict } from './bisect/VerdictMark';
export { BuildLine } from './builds/BuildLine';
export type { BuildLineProps, LineStep } from './builds/BuildLine';
export { Spark } from './builds/Spark';
export type { SparkProps } from './builds/Spark';
export { DayBars } from './days/DayBars';
export type { DayBarsProps } from './days/DayBars';
export { EffectAxis, EffectInterval } from './interval/EffectInterval';
export type { EffectAxisProps, EffectIntervalProps } from './interval/EffectInterval';
export type {
  FlameGraphHandle,
  FlameGraphProps,
  FlameSource,
  FrameTold,
  SearchTotals,
  Picture,
} from './flame/flame-props';
export { FlameGraph } from './flame/FlameGraph';
