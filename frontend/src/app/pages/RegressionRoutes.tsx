/** Routes of regressions and builds: these pages combine several features. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import {
  MeasuredCommits,
  RegressionBisects,
  SubjectExperiments,
} from '../../features/verdicts/bisects';
import {
  TeamUploadSteps,
  buildQuery,
  newestBuildQuery,
  servicesQuery,
} from '../../features/inventory/catalog';
import { AssignPerson, CommitsBetween, SuspectCommit } from '../../features/inventory/repositories';
import {
  BuildDetail,
  RegressionDetail,
  Regressions,
  updateRegression,
} from '../../features/verdicts/regressions';
import { BuildArtifacts } from '../../features/evidence/artifacts';
import { ReadMark } from '../../features/sharing/inbox';
import { IssueAction } from '../../features/sharing/notifications';
import { ErrorState, PageHeader, Section, SkeletonRows, useTitle } from '../../ui';
import { Link } from '../Link';
import { CompareLink } from '../CompareLink';
import { commitComparisonLink } from '../commit-comparison-link';
import { commitLink, useBuildCommitLink } from '../commit-link';
import { OpenBuildProfiles } from '../OpenSides';
import { buildLink } from '../build-link';
import { StartBisectAction, bisectLink } from '../StartBisectAction';
import { PageDiscussion } from '../PageDiscussion';
import { usePeople } from '../team-people';

const teamRoute = getRouteApi('/t/$team');
const listRoute = getRouteApi('/t/$team/regressions');
const regressionRoute = getRouteApi('/t/$team/regressions/$regressionId');
const buildRoute = getRouteApi('/t/$team/builds/$buildId');

const regressionLink = (team: string) => (regressionId: string, words: ReactNode) => (
  <Link to="/t/$team/regressions/$regressionId" params={{ team, regressionId }} className="link">
    {words}
  </Link>
);

const comparisonLink = (team: string) => (comparisonId: string, words: ReactNode) => (
  <Link
    to="/t/$team/comparisons/$comparisonId"
    params={{ team, comparisonId }}
    search={{}}
    className="link"
  >
    {words}
  </Link>
);

export function RegressionsRoute() {
  useTitle('Regressions');
  const { team } = teamRoute.useRouteContext();
  const search = listRoute.useSearch();
  const navigate = useNavigate();
  const services = useQuery(servicesQuery);
  const people = usePeople(team);
  const newest = useQuery(newestBuildQuery());
  return (
    <Regressions
      search={search}
      onSearch={(next) =>
        void navigate({
          to: '/t/$team/regressions',
          params: { team: team.slug },
          search: next,
          replace: true,
        })
      }
      services={services.data?.items ?? []}
      people={people}
      mayWrite={team.role !== 'viewer'}
      link={({ id }, words) => regressionLink(team.slug)(id, words)}
      firstBuild={
        newest.data?.items.length === 0 && (
          <TeamUploadSteps buildLink={({ id }, words) => buildLink(team.slug)(id, words)} />
        )
      }
      onOpen={({ id }) =>
        void navigate({
          to: '/t/$team/regressions/$regressionId',
          params: { team: team.slug, regressionId: id },
        })
      }
    />
  );
}

const serviceLink = (team: string) => (serviceId: string, words: ReactNode) => (
  <Link to="/t/$team/services/$serviceId" params={{ team, serviceId }} className="link">
    {words}
  </Link>
);

const Searches = ({ regressionId, team }: { regressionId: string; team: string }) => (
  <RegressionBisects
    regression_id={regressionId}
    link={bisectLink(team)}
    rules={serviceLink(team)}
  />
);

export function RegressionRoute() {
  const { team } = teamRoute.useRouteContext();
  const { regressionId } = regressionRoute.useParams();
  const navigate = useNavigate();
  const services = useQuery(servicesQuery);
  const people = usePeople(team);
  return (
    <RegressionDetail
      key={regressionId}
      id={regressionId}
      back={
        <Link
          to="/t/$team/inbox"
          params={{ team: team.slug }}
          search={{ view: 'regressions' }}
          className="muted"
        >
          Inbox
        </Link>
      }
      people={people}
      mayWrite={team.role !== 'viewer'}
      discussion={<PageDiscussion subject={{ kind: 'regression', id: regressionId }} />}
      action={
        <>
          <ReadMark kind="regression" id={regressionId} />
          <IssueAction kind="regression" id={regressionId} mayWrite={team.role !== 'viewer'} />
          <StartBisectAction subject={{ regression_id: regressionId }} />
        </>
      }
      searches={<Searches regressionId={regressionId} team={team.slug} />}
      links={{
        build: buildLink(team.slug),
        comparison: comparisonLink(team.slug),
        service: (serviceId) => (
          <Link
            to="/t/$team/services/$serviceId"
            params={{ team: team.slug, serviceId }}
            className="link"
          >
            {services.data?.items.find(({ id }) => id === serviceId)?.name ?? 'the service'}
          </Link>
        ),
      }}
      onOpenBuild={(buildId) =>
        void navigate({ to: '/t/$team/builds/$buildId', params: { team: team.slug, buildId } })
      }
      commits={({ service_id, good, first_bad_build: since, assignee }) =>
        good &&
        since && (
          <>
            <Section title="Commits in range" aside="after the last build at the old level">
              <SuspectCommit
                serviceId={service_id}
                good={good.commit}
                bad={since.commit}
                subject={{ regression_id: regressionId }}
                commitLink={commitLink(team.slug)}
                action={
                  team.role === 'viewer'
                    ? undefined
                    : (person) => (
                        <AssignPerson
                          person={person}
                          assigneeId={assignee?.id ?? null}
                          assign={(assignee_id) => updateRegression(regressionId, { assignee_id })}
                          changes="regression"
                        />
                      )
                }
              />
              <CommitsBetween
                serviceId={service_id}
                good={good.commit}
                bad={since.commit}
                subject={{ regression_id: regressionId }}
                mayWrite={team.role !== 'viewer'}
                commitLink={commitLink(team.slug)}
              />
            </Section>
            <SubjectExperiments
              subject={{ regression_id: regressionId }}
              serviceId={service_id}
              mayWrite={team.role !== 'viewer'}
            />
          </>
        )
      }
    />
  );
}

export function BuildRoute() {
  const { team } = teamRoute.useRouteContext();
  const { buildId } = buildRoute.useParams();
  const build = useQuery(buildQuery(buildId));
  const services = useQuery(servicesQuery);
  const linkCommit = useBuildCommitLink(team.slug);
  useTitle('Build');
  if (build.error)
    return (
      <>
        <PageHeader title="Could not load the build" />
        <Section>
          <ErrorState error={build.error} />
        </Section>
      </>
    );
  if (!build.data)
    return (
      <Section>
        <SkeletonRows rows={6} />
      </Section>
    );
  const { service_id: serviceId, commit, pull_request: pull } = build.data;
  const number = pull?.number;
  const service = (
    <Link
      to="/t/$team/services/$serviceId"
      params={{ team: team.slug, serviceId }}
      className="link"
    >
      {services.data?.items.find(({ id }) => id === serviceId)?.name ?? 'the service'}
    </Link>
  );
  return (
    <>
      <BuildDetail
        build={build.data}
        back={service}
        service={service}
        action={
          <CompareLink
            candidate={{ type: 'build', build_id: buildId }}
            service={serviceId}
            words="Compare with…"
          />
        }
        links={{
          regression: regressionLink(team.slug),
          build: buildLink(team.slug),
          comparison: comparisonLink(team.slug),
          commit: (commit, words) => linkCommit({ service_id: serviceId, commit }, words),
        }}
        files={
          <>
            <OpenBuildProfiles team={team.slug} buildId={buildId} />
            <BuildArtifacts
              buildId={buildId}
              link={({ id, name }) => (
                <Link
                  to="/t/$team/artifacts/$artifactId"
                  params={{ team: team.slug, artifactId: id }}
                >
                  {name}
                </Link>
              )}
            />
          </>
        }
      />
      <MeasuredCommits
        title={
          typeof number === 'number'
            ? 'Measured before the merge'
            : 'Measured against another commit'
        }
        filter={{
          service_id: serviceId,
          ...(typeof number === 'number' ? { pull_request: number } : { candidate: commit }),
        }}
        link={commitComparisonLink(team.slug)}
      />
      <SubjectExperiments
        subject={{ build_id: buildId }}
        serviceId={serviceId}
        mayWrite={team.role !== 'viewer'}
      />
      <PageDiscussion subject={{ kind: 'build', id: buildId }} />
    </>
  );
}
