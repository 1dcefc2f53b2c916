export { BisectDetail, Bisects, StartBisect } from './Lazy';
export { proseOf } from './prose';
