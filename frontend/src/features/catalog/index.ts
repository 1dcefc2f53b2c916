export { ServiceDetail } from './ServiceDetail';
export { ServicesPage } from './Services';
export { buildChoicesQuery, buildsQuery, servicesQuery } from './queries';
