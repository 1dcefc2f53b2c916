export { API, Problem, askAs, askedAs, http, openAddress, type ProblemFacts, type Query } from './client';
export { listen, type JobEvent, type Listener, type SubjectEvent } from './events';
export { passing, send } from './upload';
export type * from './schemas';
