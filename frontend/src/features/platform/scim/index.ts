export { ScimSettings } from './ScimSettings';
