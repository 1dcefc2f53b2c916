import { getRouteApi } from '@tanstack/react-router';
import { GrowthPage } from '../../features/growth';
import { Link } from '../Link';

const teamRoute = getRouteApi('/t/$team');

export function GrowthRoute() {
  const { team } = teamRoute.useRouteContext();
  return (
    <GrowthPage
      above={
        <Link
          to="/t/$team/files"
          params={{ team: team.slug }}
          search={{ kind: 'growth' }}
          className="muted"
        >
          Files
        </Link>
      }
    />
  );
}
