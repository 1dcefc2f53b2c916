export { ServiceDetail } from './ServiceDetail';
export { ServicesPage } from './Services';
export { buildChoicesQuery, buildsQuery, environmentsQuery, servicesQuery } from './queries';
