export { ServiceDetail } from './ServiceDetail';
export { ServicesPage } from './Services';
export { TeamUploadSteps } from './UploadSteps';
export {
  buildChoicesQuery,
  buildQuery,
  environmentsQuery,
  newestBuildQuery,
  serviceQuery,
  servicesQuery,
} from './catalog-queries';
export { DeploymentsPage } from './Deployments';
