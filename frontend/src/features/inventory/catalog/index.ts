export { ServiceDetail } from './ServiceDetail';
export { ServicesPage } from './Services';
export { TeamUploadSteps } from './UploadSteps';
export { buildChoicesQuery, buildQuery, newestBuildQuery, servicesQuery } from './catalog-queries';
