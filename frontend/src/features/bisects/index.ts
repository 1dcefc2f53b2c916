export { BisectDetail, Bisects, EarlierBisects, Runners, StartBisect } from './Lazy';
export { behindEarlier } from './queries';
export { proseOf } from './prose';
export type { Subject as BisectSubject } from './queries';
