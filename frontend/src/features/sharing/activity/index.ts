export { Activity } from './LazyActivity';
export { readActivitySearch } from './activity-url';
