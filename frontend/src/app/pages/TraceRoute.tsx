import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import {
  TracePage,
  isTraceStep,
  traceSearchOf,
  traceViewOf,
  type TraceView,
} from '../../features/evidence/exec_traces';
import { CompareLink } from '../CompareLink';
import { Link } from '../Link';
import { PageDiscussion } from '../PageDiscussion';

const route = getRouteApi('/t/$team/execution-traces/$artifactId');
const teamRoute = getRouteApi('/t/$team');

export function TraceRoute() {
  const { artifactId } = route.useParams();
  const search = route.useSearch();
  const { team } = teamRoute.useRouteContext();
  const navigate = useNavigate();
  const view = useMemo(() => traceViewOf(search), [search]);
  const onView = useCallback(
    (next: TraceView) => {
      void navigate({
        to: '/t/$team/execution-traces/$artifactId',
        params: { team: team.slug, artifactId },
        search: traceSearchOf(next),
        replace: !isTraceStep(view, next),
        resetScroll: false,
      });
    },
    [navigate, team.slug, artifactId, view],
  );
  return (
    <>
      <TracePage
        key={artifactId}
        artifactId={artifactId}
        view={view}
        onView={onView}
        file={(id, words) => (
          <Link
            to="/t/$team/artifacts/$artifactId"
            params={{ team: team.slug, artifactId: id }}
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
      <PageDiscussion subject={{ kind: 'trace', id: artifactId }} />
    </>
  );
}
