export { InboxButton } from './InboxButton';
export { CommentCount, Discussion, useCounts } from './LazyDiscussion';
export type { DiscussionProps } from './Discussion';
export type { Subject } from './discussion-queries';
export { findingPart } from './comment-threads';
