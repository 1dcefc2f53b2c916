export { ServiceBudgets } from './LazyBudgets';
export { useSeriesLimits } from './series-limits';
