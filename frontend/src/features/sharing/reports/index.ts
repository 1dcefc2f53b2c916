export { AddToReport, SharingSwitch } from './LazyReports';
export { default as ReportPage } from './ReportPage';
export { default as Reports } from './Reports';
export { PreviewPage, SharedPage } from './SharedPage';
export { SharedReport } from './SharedReport';
export { createReportFrom } from './create-report';
export { sharingQuery, updateSharing } from './report-queries';
export { parseScrubOptions, readReportSearch, readScrubSearch, scrubOf } from './report-url';
export type { SnapshotViewProps, RecordedReport } from './report-types';
