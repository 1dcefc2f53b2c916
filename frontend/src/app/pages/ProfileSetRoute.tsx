import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { ProfileSetPage, profileViewOf } from '../../features/evidence/profiles';
import { Link } from '../Link';
import { profileLinks, useProfileNavigation } from './profile-links';

const route = getRouteApi('/t/$team/profile-sets/$setId');
const teamRoute = getRouteApi('/t/$team');

export function ProfileSetRoute() {
  const { team } = teamRoute.useRouteContext();
  const { setId } = route.useParams();
  const search = route.useSearch();
  const view = useMemo(() => profileViewOf(search), [search]);
  const onView = useProfileNavigation();
  const links = useMemo(() => profileLinks(team.slug), [team.slug]);
  return (
    <ProfileSetPage
      key={setId}
      setId={setId}
      context={{
        view,
        onView,
        links,
        above: (
          <Link to="/t/$team/artifacts" params={{ team: team.slug }} search={{}} className="muted">
            Artifacts
          </Link>
        ),
      }}
    />
  );
}
