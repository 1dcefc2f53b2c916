export { MailSettings, UnsubscribePage } from './LazyMailSettings';
export { SubscribeAction } from './SubscribeAction';
