/** Routes of the bisects: the list, one bisect, and the page that creates its report. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { servicesQuery } from '../../features/inventory/catalog';
import { repositoriesQuery } from '../../features/inventory/repositories';
import { AssignItem, ReadMark } from '../../features/sharing/inbox';
import {
  BisectDetail,
  Bisects,
  CommitComparison,
  StartBisectPage,
  bisectSubjectOf,
} from '../../features/verdicts/bisects';
import { Link } from '../Link';
import { StartBisectAction, bisectLink } from '../StartBisectAction';
import { WriteBisectReport } from '../WriteBisectReport';
import { commitComparisonLink } from '../commit-comparison-link';

const teamRoute = getRouteApi('/t/$team');
const bisectsRoute = getRouteApi('/t/$team/bisects');
const newBisectRoute = getRouteApi('/t/$team/bisects/new');
const bisectRoute = getRouteApi('/t/$team/bisects/$bisectId');
const commitsRoute = getRouteApi('/t/$team/commit-comparisons/$bisectId');

export function BisectsRoute() {
  const { team } = teamRoute.useRouteContext();
  const search = bisectsRoute.useSearch();
  const navigate = useNavigate();
  const services = useQuery(servicesQuery);
  return (
    <Bisects
      search={search}
      onSearch={(next) =>
        void navigate({
          to: '/t/$team/bisects',
          params: { team: team.slug },
          search: next,
          replace: true,
        })
      }
      services={services.data?.items ?? []}
      start={<StartBisectAction subject={null} primary />}
      link={bisectLink(team.slug)}
      onOpen={(bisectId) =>
        void navigate({ to: '/t/$team/bisects/$bisectId', params: { team: team.slug, bisectId } })
      }
      regressions={(words) => (
        <Link to="/t/$team/regressions" params={{ team: team.slug }} search={{}} className="link">
          {words}
        </Link>
      )}
    />
  );
}

export function NewBisectRoute() {
  const { team } = teamRoute.useRouteContext();
  const subject = bisectSubjectOf(newBisectRoute.useSearch());
  const navigate = useNavigate();
  const services = useQuery(servicesQuery);
  const repositories = useQuery(repositoriesQuery);
  const params = { team: team.slug };
  return (
    <StartBisectPage
      key={JSON.stringify(subject)}
      subject={subject}
      team={{ id: team.id, mayManage: team.role === 'admin' || team.role === 'owner' }}
      services={services.data?.items ?? []}
      repositories={repositories.data?.items ?? []}
      back={
        <Link to="/t/$team/bisects" params={params} className="muted">
          Bisects
        </Link>
      }
      integrations={(words) => (
        <Link
          to="/t/$team/settings"
          params={params}
          search={{ tab: 'integrations' }}
          className="link"
        >
          {words}
        </Link>
      )}
      link={bisectLink(team.slug)}
      onStarted={(bisectId) =>
        void navigate({ to: '/t/$team/bisects/$bisectId', params: { ...params, bisectId } })
      }
    />
  );
}

/** Links from a bisect to its service, regression, comparison and commits. */
const linksOf = (team: string) => ({
  service: (serviceId: string, words: ReactNode) => (
    <Link to="/t/$team/services/$serviceId" params={{ team, serviceId }} className="link">
      {words}
    </Link>
  ),
  regression: (regressionId: string, words: ReactNode) => (
    <Link to="/t/$team/regressions/$regressionId" params={{ team, regressionId }} className="link">
      {words}
    </Link>
  ),
  comparison: (comparisonId: string, words: ReactNode) => (
    <Link
      to="/t/$team/comparisons/$comparisonId"
      params={{ team, comparisonId }}
      search={{}}
      className="link"
    >
      {words}
    </Link>
  ),
  commit: (repositoryId: string, sha: string, words: ReactNode) => (
    <Link
      to="/t/$team/repositories/$repositoryId/commits/$sha"
      params={{ team, repositoryId, sha }}
      className="link"
    >
      {words}
    </Link>
  ),
});

export function CommitComparisonRoute() {
  const { team } = teamRoute.useRouteContext();
  const { bisectId } = commitsRoute.useParams();
  const links = linksOf(team.slug);
  return (
    <CommitComparison
      key={bisectId}
      id={bisectId}
      mayWrite={team.role !== 'viewer'}
      serviceLink={links.service}
      comparisonLink={links.comparison}
      link={commitComparisonLink(team.slug)}
    />
  );
}

export function BisectRoute() {
  const { team } = teamRoute.useRouteContext();
  const { bisectId } = bisectRoute.useParams();
  const navigate = useNavigate();
  const params = { team: team.slug };
  return (
    <BisectDetail
      key={bisectId}
      id={bisectId}
      back={
        <Link to="/t/$team/bisects" params={params} className="muted">
          Bisects
        </Link>
      }
      mayWrite={team.role !== 'viewer'}
      team={{ id: team.id, mayManage: team.role === 'admin' || team.role === 'owner' }}
      links={linksOf(team.slug)}
      onOpenComparison={(comparisonId) =>
        void navigate({
          to: '/t/$team/comparisons/$comparisonId',
          params: { ...params, comparisonId },
          search: {},
        })
      }
      onDeleted={() => void navigate({ to: '/t/$team/bisects', params })}
      onOpenBisect={(other) =>
        void navigate({ to: '/t/$team/bisects/$bisectId', params: { ...params, bisectId: other } })
      }
      personAction={
        team.role === 'viewer'
          ? undefined
          : (person) => <AssignItem kind="bisect" id={bisectId} person={person} />
      }
      report={(bisect) => (
        <>
          <ReadMark kind="bisect" id={bisectId} />
          {team.role !== 'viewer' && (
            <WriteBisectReport
              bisect={bisect}
              onWritten={(reportId) =>
                void navigate({
                  to: '/t/$team/reports/$reportId',
                  params: { ...params, reportId },
                  search: {},
                })
              }
            />
          )}
        </>
      )}
    />
  );
}
