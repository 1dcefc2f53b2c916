export { MetricSources } from './Lazy';
