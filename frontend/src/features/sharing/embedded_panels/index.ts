export { EmbedAction } from './EmbedAction';
