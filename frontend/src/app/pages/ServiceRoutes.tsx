import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ServiceDetail, ServicesPage as Services } from '../../features/inventory/catalog';
import { GrafanaLink } from '../../features/sharing/grafana';
import { SubscribeAction } from '../../features/sharing/subscriptions';
import { AutomaticBisects, PullRequests } from '../../features/verdicts/bisects';
import { ServiceBudgets, useSeriesLimits } from '../../features/verdicts/budgets';
import { ServiceSeries } from '../../features/verdicts/regressions';
import { Link } from '../Link';
import { commitComparisonLink } from '../commit-comparison-link';
import { CompareLink } from '../CompareLink';
import { StartBisectAction } from '../StartBisectAction';

const teamRoute = getRouteApi('/t/$team');
const servicesRoute = getRouteApi('/t/$team/services');
const serviceRoute = getRouteApi('/t/$team/services/$serviceId');

export function ServicesRoute() {
  const { team } = teamRoute.useRouteContext();
  const search = servicesRoute.useSearch();
  const navigate = useNavigate();
  return (
    <Services
      search={search}
      onSearch={(next) =>
        void navigate({
          to: '/t/$team/services',
          params: { team: team.slug },
          search: next,
          replace: true,
        })
      }
      mayManage={team.role === 'admin' || team.role === 'owner'}
      onOpen={({ id }) =>
        void navigate({
          to: '/t/$team/services/$serviceId',
          params: { team: team.slug, serviceId: id },
        })
      }
      link={({ id, name }) => (
        <Link
          to="/t/$team/services/$serviceId"
          params={{ team: team.slug, serviceId: id }}
          onClick={(event) => event.stopPropagation()}
        >
          {name}
        </Link>
      )}
      setupLink={
        <>
          <Link to="/t/$team/deployments" params={{ team: team.slug }} search={{}} className="link">
            Deployments
          </Link>
          <Link to="/t/$team/setup" params={{ team: team.slug }} className="link">
            Set up a service
          </Link>
        </>
      }
    />
  );
}

export function ServiceRoute() {
  const { team } = teamRoute.useRouteContext();
  const { serviceId } = serviceRoute.useParams();
  const navigate = useNavigate();
  const limits = useSeriesLimits(serviceId);
  const link = (buildId: string, words: ReactNode) => (
    <Link to="/t/$team/builds/$buildId" params={{ team: team.slug, buildId }}>
      {words}
    </Link>
  );
  return (
    <ServiceDetail
      key={serviceId}
      id={serviceId}
      action={({ slug }) => (
        <>
          <GrafanaLink service={slug} environmentId={null} range="6h" />
          <SubscribeAction serviceId={serviceId} />
          <CompareLink service={serviceId} words="Compare" />
          <StartBisectAction subject={{ service_id: serviceId }} />
        </>
      )}
      back={
        <Link to="/t/$team/services" params={{ team: team.slug }} className="muted">
          Services
        </Link>
      }
      mayManage={team.role === 'admin' || team.role === 'owner'}
      mayWrite={team.role !== 'viewer'}
      onGone={() => void navigate({ to: '/t/$team/services', params: { team: team.slug } })}
      buildLink={({ id }, words) => link(id, words)}
    >
      <ServiceBudgets serviceId={serviceId} mayWrite={team.role !== 'viewer'} buildLink={link} />
      <ServiceSeries
        serviceId={serviceId}
        limits={limits}
        link={link}
        mayWrite={team.role !== 'viewer'}
        compareLink={(base, candidate, words) => (
          <CompareLink
            base={{ type: 'build', build_id: base }}
            candidate={{ type: 'build', build_id: candidate }}
            service={serviceId}
            words={words}
          />
        )}
      />
      <AutomaticBisects
        serviceId={serviceId}
        mayManage={team.role === 'admin' || team.role === 'owner'}
      />
      <PullRequests
        serviceId={serviceId}
        mayManage={team.role === 'admin' || team.role === 'owner'}
        mayWrite={team.role !== 'viewer'}
        link={commitComparisonLink(team.slug)}
        onStarted={(bisectId) =>
          void navigate({
            to: '/t/$team/commit-comparisons/$bisectId',
            params: { team: team.slug, bisectId },
          })
        }
      />
    </ServiceDetail>
  );
}
