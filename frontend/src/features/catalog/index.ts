export { buildsQuery, servicesQuery } from './queries';
