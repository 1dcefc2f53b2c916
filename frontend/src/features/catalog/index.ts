export { ServiceDetail } from './ServiceDetail';
export { ServicesPage } from './Services';
export {
  buildChoicesQuery,
  buildQuery,
  buildsQuery,
  environmentsQuery,
  servicesQuery,
} from './queries';
