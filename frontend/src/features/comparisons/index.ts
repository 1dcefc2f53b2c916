export { createComparison } from './queries';
export { readView } from './url';
