export { BuildDetail, RegressionDetail, Regressions, ServiceSeries } from './Lazy';
export { behindRegression } from './queries';
export { readRegressionsSearch, type RegressionsSearch } from './url';
