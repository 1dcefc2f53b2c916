export { InboxBadge } from './InboxBadge';
export { AssignItem, InboxPage, ItemActions } from './LazyInbox';
export type { InboxLink } from './InboxTabs';
export { readInboxSearch, type InboxSearch } from './inbox-url';
