export { Inbox } from './Inbox';
export { CommentCount, Discussion, useCounts } from './Lazy';
export type { DiscussionProps } from './Discussion';
export type { Subject } from './queries';
export { findingPart } from './threads';
