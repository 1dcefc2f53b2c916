export { Activity } from './LazyActivity';
export { readActivitySearch, type ActivitySearch } from './activity-url';
