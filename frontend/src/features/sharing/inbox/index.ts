export { InboxBadge } from './InboxBadge';
export { AssignItem, InboxPage, ItemActions, ReadMark } from './LazyInbox';
export { useReading } from './use-reading';
export type { InboxLink } from './InboxTabs';
export { readInboxSearch, type InboxSearch } from './inbox-url';
