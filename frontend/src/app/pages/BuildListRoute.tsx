import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { servicesQuery } from '../../features/inventory/catalog';
import { BuildList } from '../../features/verdicts/regressions';
import { CompareLink } from '../CompareLink';
import { useBuildCommitLink } from '../commit-link';
import { Link } from '../Link';

const route = getRouteApi('/t/$team/builds');
const teamRoute = getRouteApi('/t/$team');

export function BuildListRoute() {
  const { team } = teamRoute.useRouteContext();
  const search = route.useSearch();
  const navigate = useNavigate();
  const services = useQuery(servicesQuery);
  const commitLink = useBuildCommitLink(team.slug);
  return (
    <BuildList
      search={search}
      onSearch={(next) =>
        void navigate({
          to: '/t/$team/builds',
          params: { team: team.slug },
          search: next,
          replace: true,
        })
      }
      services={services.data?.items ?? []}
      link={(buildId, words) => (
        <Link
          to="/t/$team/builds/$buildId"
          params={{ team: team.slug, buildId }}
          onClick={(event) => event.stopPropagation()}
        >
          {words}
        </Link>
      )}
      commitLink={commitLink}
      compareLink={(base, candidate, words) => (
        <CompareLink
          isPrimary
          base={{ type: 'build', build_id: base.id }}
          candidate={{ type: 'build', build_id: candidate.id }}
          service={candidate.service_id}
          words={words}
        />
      )}
      onOpen={({ id }) =>
        void navigate({
          to: '/t/$team/builds/$buildId',
          params: { team: team.slug, buildId: id },
        })
      }
    />
  );
}
