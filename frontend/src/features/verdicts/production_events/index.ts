export { EventPage } from './LazyEvents';
export type { EventRange } from './EventPage';
