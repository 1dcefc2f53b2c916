import { getRouteApi } from '@tanstack/react-router';
import { SetupPage } from '../../features/operations/setup';
import { Link } from '../Link';

const teamRoute = getRouteApi('/t/$team');

export function SetupRoute() {
  const { team } = teamRoute.useRouteContext();
  const params = { team: team.slug };
  return (
    <SetupPage
      key={team.id}
      team={team.id}
      mayWrite={team.role !== 'viewer'}
      settingsLink={(tab, words, scope) => (
        <Link to="/t/$team/settings" params={params} search={{ tab, scope }} className="link">
          {words}
        </Link>
      )}
      example={{
        mayManage: team.role === 'admin' || team.role === 'owner',
        links: (
          <>
            <Link to="/t/$team/comparisons" params={params} search={{}} className="link">
              Why the ingester got slower
            </Link>
            <Link to="/t/$team/dashboard" params={params} search={{}} className="link">
              Dashboard
            </Link>
            <Link to="/t/$team/builds" params={params} search={{}} className="link">
              Builds
            </Link>
          </>
        ),
      }}
      skipLink={
        <Link to="/t/$team/comparisons" params={params} search={{}} className="link">
          Skip for now
        </Link>
      }
    />
  );
}
