export { MetricSources } from './LazyMetricSources';
