export { AssignItem } from './AssignItem';
export { InboxBadge } from './InboxBadge';
export { InboxPage, ItemActions } from './LazyInbox';
export type { InboxLink } from './InboxTabs';
export { readInboxSearch, type InboxSearch } from './inbox-url';
