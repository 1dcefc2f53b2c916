export { AssignAuthor } from './AssignAuthor';
export { BuildDetail, RegressionDetail, Regressions, ServiceSeries } from './LazyRegressions';
export { regressionSnapshotRequests } from './regression-queries';
export { readRegressionsSearch } from './regression-url';
