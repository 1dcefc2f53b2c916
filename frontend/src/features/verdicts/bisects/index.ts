export {
  AutomaticBisects,
  BisectDetail,
  Bisects,
  CommitComparison,
  MeasuredCommits,
  PullRequests,
  RegressionBisects,
  Runners,
  StartBisectPage,
  SubjectExperiments,
} from './LazyBisects';
export { bisectQuery, regressionBisectRequests } from './bisect-queries';
export { bisectSearchOf, bisectSubjectOf, readBisectSearch } from './bisect-url';
export { suspectName } from './bisect-wording';
export { readBisectsSearch } from './bisects-url';
export { makeBisectReportText } from './bisect-report-text';
export type { Subject as BisectSubject } from './bisect-queries';
