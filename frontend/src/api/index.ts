export {
  Problem,
  asBytes,
  askAs,
  askedAs,
  openAddress,
  type ProblemFacts,
  type Query,
} from './client';
export { listen, type EventKind, type Listener, type ServerEvent } from './events';
export * as calls from './generated/sdk.gen';
export { readComparison } from './schemas';
export type * from './schemas';
export { passing, send } from './upload';
