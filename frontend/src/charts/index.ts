/** Charts: props in, events out. */
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
