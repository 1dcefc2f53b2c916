export { Storage } from './Lazy';
export { keptUntil, retentionQuery } from './queries';
