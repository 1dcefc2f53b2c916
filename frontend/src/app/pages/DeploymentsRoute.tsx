import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import {
  DeploymentsPage,
  environmentsQuery,
  servicesQuery,
} from '../../features/inventory/catalog';
import { buildLink } from '../build-link';

const teamRoute = getRouteApi('/t/$team');
const route = getRouteApi('/t/$team/deployments');

export function DeploymentsRoute() {
  const { team } = teamRoute.useRouteContext();
  const search = route.useSearch();
  const navigate = useNavigate();
  const services = useQuery(servicesQuery);
  const environments = useQuery(environmentsQuery);
  return (
    <DeploymentsPage
      search={search}
      onSearch={(next) =>
        void navigate({
          to: '/t/$team/deployments',
          params: { team: team.slug },
          search: next,
          replace: true,
        })
      }
      services={services.data?.items ?? []}
      environments={environments.data?.items ?? []}
      buildLink={buildLink(team.slug)}
    />
  );
}
