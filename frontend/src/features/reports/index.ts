export type { AddToReportProps } from './AddToReport';
export { AddToReport, SharingSwitch } from './Lazy';
export { default as ReportPage } from './ReportPage';
export { default as Reports } from './Reports';
export { PreviewPage, SharedPage } from './SharedPage';
export { SharedReport } from './SharedReport';
export { writeReport } from './writing';
export { keepOf, readReportSearch, readScrubSearch, scrubOf } from './url';
export type { FrozenViewProps, RecordedReport, Scrub } from './types';
