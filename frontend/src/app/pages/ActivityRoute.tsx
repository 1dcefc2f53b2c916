import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate, useRouter } from '@tanstack/react-router';
import { membersQuery } from '../../features/platform/accounts';
import { Activity } from '../../features/sharing/activity';
import { servicesQuery } from '../../features/inventory/catalog';

const teamRoute = getRouteApi('/t/$team');
const route = getRouteApi('/t/$team/activity');

export function ActivityRoute() {
  const { team } = teamRoute.useRouteContext();
  const search = route.useSearch();
  const navigate = useNavigate();
  const router = useRouter();
  const services = useQuery(servicesQuery);
  const members = useQuery(membersQuery(team.id));
  return (
    <Activity
      search={search}
      onSearch={(next) =>
        void navigate({
          to: '/t/$team/activity',
          params: { team: team.slug },
          search: next,
          replace: true,
        })
      }
      services={services.data?.items ?? []}
      people={(members.data?.items ?? []).map(({ user_id, name }) => ({ id: user_id, name }))}
      link={(path, words) => {
        const href = `/t/${team.slug}${path}`;
        return (
          <a
            href={href}
            className="link"
            onClick={(event) => {
              if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
              event.preventDefault();
              router.history.push(href);
            }}
          >
            {words}
          </a>
        );
      }}
    />
  );
}
