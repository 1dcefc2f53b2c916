export { Channels } from './LazyChannels';
