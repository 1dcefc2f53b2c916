export { BisectDetail, Bisects, EarlierBisects, Runners, StartBisect } from './Lazy';
export { proseOf } from './prose';
export type { Subject as BisectSubject } from './queries';
