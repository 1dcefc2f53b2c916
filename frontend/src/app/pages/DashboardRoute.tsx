import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Suspense, lazy, useCallback, useMemo } from 'react';
import {
  DashboardPage,
  dashboardSearchOf,
  dashboardViewOf,
  isDashboardStep,
  type DashboardView,
} from '../../features/evidence/dashboard';
import { CompareLink } from '../CompareLink';
import { Link } from '../Link';

const PanelActions = lazy(() => import('../PanelActions'));

const route = getRouteApi('/t/$team/dashboard');
const teamRoute = getRouteApi('/t/$team');

export function DashboardRoute() {
  const search = route.useSearch();
  const { team, frozen } = teamRoute.useRouteContext();
  const navigate = useNavigate();
  const view = useMemo(() => dashboardViewOf(search), [search]);
  const onView = useCallback(
    (next: DashboardView) => {
      void navigate({
        to: '/t/$team/dashboard',
        params: { team: team.slug },
        search: dashboardSearchOf(next),
        replace: !isDashboardStep(view, next),
        resetScroll: false,
      });
    },
    [navigate, team.slug, view],
  );
  const eventLink = useCallback(
    ({ id }: { id: string }, words: string) => (
      <Link
        to="/t/$team/events/$eventId"
        params={{ team: team.slug, eventId: id }}
        className="link"
      >
        {words}
      </Link>
    ),
    [team.slug],
  );
  return (
    <DashboardPage
      team={{
        id: team.id,
        mayWrite: team.role !== 'viewer',
        mayManage: team.role === 'admin' || team.role === 'owner',
      }}
      view={view}
      onView={onView}
      onComparison={(comparisonId) =>
        void navigate({
          to: '/t/$team/comparisons/$comparisonId',
          params: { team: team.slug, comparisonId },
          search: {},
        })
      }
      settingsLink={(tab, words) => (
        <Link to="/t/$team/settings" params={{ team: team.slug }} search={{ tab }} className="link">
          {words}
        </Link>
      )}
      rowAction={
        frozen
          ? undefined
          : (service, environmentId) => (
              <Suspense fallback={null}>
                <PanelActions {...{ team, service, environmentId }} range={view.range} />
              </Suspense>
            )
      }
      mapLink={(env, words) => (
        <Link
          to="/t/$team/service-map"
          params={{ team: team.slug }}
          search={{ env }}
          className="link"
        >
          {words}
        </Link>
      )}
      links={{
        event: eventLink,
        files: (words) => (
          <Link to="/t/$team/artifacts" params={{ team: team.slug }} search={{}} className="link">
            {words}
          </Link>
        ),
        sides: (base, candidate, words) => (
          <CompareLink
            base={base === null ? null : { type: 'deployment', deployment_id: base }}
            candidate={{ type: 'deployment', deployment_id: candidate }}
            words={words}
          />
        ),
      }}
    />
  );
}
