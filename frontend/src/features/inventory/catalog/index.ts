export { ServiceDetail } from './ServiceDetail';
export { ServicesPage } from './Services';
export { buildChoicesQuery, buildQuery, servicesQuery } from './catalog-queries';
