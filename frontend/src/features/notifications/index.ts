export { Channels } from './Lazy';
