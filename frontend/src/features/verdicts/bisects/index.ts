export { BisectDetail, Bisects, RegressionBisects, Runners, StartBisect } from './LazyBisects';
export { bisectQuery, regressionBisectRequests } from './bisect-queries';
export { makeBisectReportText } from './bisect-report-text';
export type { Subject as BisectSubject } from './bisect-queries';
