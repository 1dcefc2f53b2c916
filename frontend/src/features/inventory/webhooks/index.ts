export { Webhooks } from './LazyWebhooks';
