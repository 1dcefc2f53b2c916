import { getRouteApi } from '@tanstack/react-router';
import { GrowthPage } from '../../features/evidence/growth_logs';
import { Link } from '../Link';

const teamRoute = getRouteApi('/t/$team');

export function GrowthRoute() {
  const { team } = teamRoute.useRouteContext();
  return (
    <GrowthPage
      above={
        <Link
          to="/t/$team/artifacts"
          params={{ team: team.slug }}
          search={{ kind: 'growth' }}
          className="muted"
        >
          Artifacts
        </Link>
      }
    />
  );
}
