import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import {
  ServiceMapPage,
  SpanSetPage,
  WaterfallPage,
  spansSearchOf,
  spansViewOf,
  tracesSearchOf,
  tracesViewOf,
  waterfallSearchOf,
  waterfallViewOf,
  type SpansView,
  type TracesView,
  type WaterfallView,
} from '../../features/evidence/spans';
import { CompareLink } from '../CompareLink';
import { Link } from '../Link';
import { PageDiscussion } from '../PageDiscussion';

const setRoute = getRouteApi('/t/$team/span-sets/$artifactId');
const mapRoute = getRouteApi('/t/$team/service-map');
const waterfallRoute = getRouteApi('/t/$team/span-sets/$artifactId/traces/$traceId');
const teamRoute = getRouteApi('/t/$team');

export function WaterfallRoute() {
  const { artifactId, traceId } = waterfallRoute.useParams();
  const search = waterfallRoute.useSearch();
  const { team } = teamRoute.useRouteContext();
  const navigate = useNavigate();
  const view = useMemo(() => waterfallViewOf(search), [search]);
  const onView = useCallback(
    (next: WaterfallView) => {
      void navigate({
        to: '/t/$team/span-sets/$artifactId/traces/$traceId',
        params: { team: team.slug, artifactId, traceId },
        search: waterfallSearchOf(next),
        // Moving between spans by keys, and zooming, add no entries to the browser history.
        replace: true,
        resetScroll: false,
      });
    },
    [navigate, team.slug, artifactId, traceId],
  );
  return (
    <WaterfallPage
      key={`${artifactId} ${traceId}`}
      artifactId={artifactId}
      traceId={traceId}
      view={view}
      onView={onView}
      traceLink={(id, words) => (
        <Link
          to="/t/$team/span-sets/$artifactId/traces/$traceId"
          params={{ team: team.slug, artifactId, traceId: id }}
          search={{}}
          className="link"
        >
          {words}
        </Link>
      )}
      executionLink={(id, words) => (
        <Link
          to="/t/$team/execution-traces/$artifactId"
          params={{ team: team.slug, artifactId: id }}
          search={{}}
          className="link"
        >
          {words}
        </Link>
      )}
      above={
        <Link
          to="/t/$team/span-sets/$artifactId"
          params={{ team: team.slug, artifactId }}
          search={{}}
          className="muted"
        >
          All traces of the artifact
        </Link>
      }
    />
  );
}

export function SpanSetRoute() {
  const { artifactId } = setRoute.useParams();
  const search = setRoute.useSearch();
  const { team } = teamRoute.useRouteContext();
  const navigate = useNavigate();
  const view = useMemo(() => spansViewOf(search), [search]);
  const traces = useMemo(() => tracesViewOf(search), [search]);
  const onView = useCallback(
    (next: SpansView) => {
      void navigate({
        to: '/t/$team/span-sets/$artifactId',
        params: { team: team.slug, artifactId },
        search: { ...spansSearchOf(next), ...tracesSearchOf(traces) },
        replace: next.edge === view.edge,
        resetScroll: false,
      });
    },
    [navigate, team.slug, artifactId, view, traces],
  );
  const onTraces = useCallback(
    (next: TracesView) => {
      void navigate({
        to: '/t/$team/span-sets/$artifactId',
        params: { team: team.slug, artifactId },
        search: { ...spansSearchOf(view), ...tracesSearchOf(next) },
        // Another page of the list adds an entry to the browser history; typing a filter does not.
        replace: next.page === traces.page,
        resetScroll: false,
      });
    },
    [navigate, team.slug, artifactId, view, traces],
  );
  return (
    <>
      <SpanSetPage
        key={artifactId}
        artifactId={artifactId}
        view={view}
        onView={onView}
        traces={traces}
        onTraces={onTraces}
        traceLink={(id, traceId, words) => (
          <Link
            to="/t/$team/span-sets/$artifactId/traces/$traceId"
            params={{ team: team.slug, artifactId: id, traceId }}
            search={{}}
            className="link"
          >
            {words}
          </Link>
        )}
        above={
          <Link
            to="/t/$team/artifacts/$artifactId"
            params={{ team: team.slug, artifactId }}
            className="muted"
          >
            Artifact
          </Link>
        }
        compare={
          <CompareLink
            base={{ type: 'artifacts', artifact_ids: [artifactId], labels: [] }}
            candidate={null}
            words="Compare with…"
            isPrimary
          />
        }
      />
      <PageDiscussion subject={{ kind: 'span-set', id: artifactId }} />
    </>
  );
}

export function ServiceMapRoute() {
  const { env } = mapRoute.useSearch();
  const { team } = teamRoute.useRouteContext();
  const navigate = useNavigate();
  return (
    <ServiceMapPage
      environment={env ?? ''}
      onEnvironment={(id) =>
        void navigate({
          to: '/t/$team/service-map',
          params: { team: team.slug },
          search: { env: id },
        })
      }
      onService={(id, service) =>
        void navigate({
          to: '/t/$team/dashboard',
          params: { team: team.slug },
          search: { env: id },
          hash: `service-${service}`,
        })
      }
      above={
        <Link
          to="/t/$team/dashboard"
          params={{ team: team.slug }}
          search={{ env }}
          className="muted"
        >
          Dashboard
        </Link>
      }
    />
  );
}
