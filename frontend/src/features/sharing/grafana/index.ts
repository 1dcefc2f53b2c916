export { GrafanaLink, GrafanaSettings } from './LazyGrafana';
