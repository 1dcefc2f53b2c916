export type { BoardPageProps } from './BoardPage';
export { BoardPage, MetricsSettings } from './Lazy';
export { metricSettingsQuery } from './metrics-queries';
export { boardQuery, heldView, readAllRows } from './queries';
export {
  boardSearchOf,
  boardViewOf,
  isBoardStep,
  readBoardSearch,
  type BoardSearch,
  type BoardView,
} from './url';
export { windowsAround } from './compare-around';
