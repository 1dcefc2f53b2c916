export { ServiceDetail } from './ServiceDetail';
export { ServicesPage } from './Services';
export { buildChoicesQuery, buildQuery, buildsQuery, servicesQuery } from './catalog-queries';
