export { InboxButton } from './InboxButton';
export { CommentCount, Discussion, useCounts } from './LazyDiscussion';
export type { Subject } from './discussion-queries';
export { findingPart } from './comment-threads';
