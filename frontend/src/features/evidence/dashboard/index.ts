export { DashboardPage, MetricsSettings, ServicePanels } from './LazyDashboard';
export { dashboardQuery, snapshotView, readAllRows } from './dashboard-queries';
export {
  dashboardSearchOf,
  dashboardViewOf,
  isDashboardStep,
  readDashboardSearch,
  type DashboardSearch,
  RANGE_MS,
  type DashboardView,
} from './dashboard-url';
export { rangesAround } from './deployment-comparison';
