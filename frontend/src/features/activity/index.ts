export { Activity } from './Lazy';
export { readActivitySearch, type ActivitySearch } from './url';
