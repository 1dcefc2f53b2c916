export { EmbedAction } from './EmbedAction';
export { embeddedPanelsQuery } from './embedded-panel-queries';
