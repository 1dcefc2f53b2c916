/** *Start bisect* on the pages it can begin from, with what the team has: its services, repositories, runners. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { StartBisect, type BisectSubject } from '../features/verdicts/bisects';
import { servicesQuery } from '../features/inventory/catalog';
import { repositoriesQuery } from '../features/inventory/repositories';
import { Link } from './Link';

const teamRoute = getRouteApi('/t/$team');

export const bisectLink = (team: string) => (bisectId: string, words: ReactNode) => (
  <Link to="/t/$team/bisects/$bisectId" params={{ team, bisectId }} className="link">
    {words}
  </Link>
);

export function StartBisectAction({
  subject,
  primary,
}: {
  subject: BisectSubject | null;
  primary?: boolean;
}) {
  const { team, frozen } = teamRoute.useRouteContext();
  const navigate = useNavigate();
  const may = !frozen && team.role !== 'viewer';
  const services = useQuery({ ...servicesQuery, enabled: may });
  const repositories = useQuery({ ...repositoriesQuery, enabled: may });
  if (!may) return null;
  return (
    <StartBisect
      subject={subject}
      primary={primary}
      team={{ id: team.id, mayManage: team.role === 'admin' || team.role === 'owner' }}
      services={services.data?.items ?? []}
      repositories={repositories.data?.items}
      integrations={(words) => (
        <Link
          to="/t/$team/settings"
          params={{ team: team.slug }}
          search={{ tab: 'integrations' }}
          className="link"
        >
          {words}
        </Link>
      )}
      link={bisectLink(team.slug)}
      onStarted={(bisectId) =>
        void navigate({ to: '/t/$team/bisects/$bisectId', params: { team: team.slug, bisectId } })
      }
    />
  );
}
