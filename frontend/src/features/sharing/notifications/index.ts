export { IssueAction } from './IssueAction';
export { Channels } from './LazyChannels';
export { EVENTS, type NotificationEvent } from './notification-wording';
