export { readView } from './url';
