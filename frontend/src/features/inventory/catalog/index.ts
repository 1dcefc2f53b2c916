export { ServiceDetail } from './ServiceDetail';
export { ServicesPage } from './Services';
export { buildChoicesQuery, buildQuery, environmentsQuery, servicesQuery } from './catalog-queries';
