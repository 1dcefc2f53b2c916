export {
  Problem,
  asBytes,
  setCurrentTeam,
  setSignInConfirmation,
  getCurrentTeam,
  makeNotInSnapshotProblem,
  openUrl,
  type ProblemDetails,
} from './api-client';
export { EVENT_KINDS, openEventStream, type EventKind, type ServerEvent } from './event-stream';
export {
  createSnapshotClient,
  createRecordingClient,
  isServedFromSnapshot,
  isReading,
  listVisibleRequests,
  type RecordedResponses,
} from './snapshot-requests';
export {
  readApiDocument,
  type ApiDocument,
  type ApiOperation,
  type ApiSchema,
} from './openapi-document';
export { FREEZABLE } from './generated/freezable';
export * as calls from './generated/sdk.gen';
export { readReportBundle, type ReportBundle } from './report-bundle';
export type * from './api-types';
export { makeConnectionLostError, isTransient, sendUpload } from './upload-client';
