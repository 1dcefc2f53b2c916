export { BuildDetail, RegressionDetail, Regressions, ServiceSeries } from './Lazy';
export { readRegressionsSearch, type RegressionsSearch } from './url';
