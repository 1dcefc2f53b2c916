export {
  Problem,
  asBytes,
  askAs,
  askedAs,
  notRecorded,
  openAddress,
  type ProblemFacts,
  type Query,
} from './client';
export { EVENT_KINDS, listen, type EventKind, type Listener, type ServerEvent } from './events';
export {
  createFrozenClient,
  createNotingClient,
  isLed,
  isReading,
  requestsShown,
  type Answers,
} from './frozen';
export { FREEZABLE } from './generated/freezable';
export * as calls from './generated/sdk.gen';
export { readRecording, writeRecording, type Recording } from './recording';
export { readComparison } from './schemas';
export type * from './schemas';
export { lost, passing, send } from './upload';
