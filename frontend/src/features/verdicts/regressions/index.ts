export { updateRegression } from './regression-queries';
export {
  BuildDetail,
  BuildList,
  RegressionDetail,
  Regressions,
  ServiceSeries,
} from './LazyRegressions';
export { readBuildListSearch } from './build-list-url';
export { regressionQuery, regressionSnapshotRequests } from './regression-queries';
export { readRegressionsSearch } from './regression-url';
