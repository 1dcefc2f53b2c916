export { EventPage } from './LazyEvents';
export { productionEventQuery } from './event-queries';
export type { EventRange } from './EventPage';
