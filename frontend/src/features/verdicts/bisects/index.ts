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
export { bisectQuery, regressionBisectRequests } from './shared/bisect-queries';
export { bisectSearchOf, bisectSubjectOf, readBisectSearch } from './shared/bisect-url';
export { suspectName } from './shared/bisect-wording';
export { readBisectsSearch } from './shared/bisects-url';
export { makeBisectReportText } from './detail/bisect-report-text';
export type { Subject as BisectSubject } from './shared/bisect-queries';
