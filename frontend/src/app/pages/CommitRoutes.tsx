import { getRouteApi } from '@tanstack/react-router';
import { CommitPage } from '../../features/inventory/repositories';
import { Link } from '../Link';

const teamRoute = getRouteApi('/t/$team');
const route = getRouteApi('/t/$team/repositories/$repositoryId/commits/$sha');

export function CommitRoute() {
  const { repositoryId, sha } = route.useParams();
  const { team } = teamRoute.useRouteContext();
  return (
    <CommitPage
      key={`${repositoryId} ${sha}`}
      repositoryId={repositoryId}
      sha={sha}
      commitLink={(parent, words) => (
        <Link
          to="/t/$team/repositories/$repositoryId/commits/$sha"
          params={{ team: team.slug, repositoryId, sha: parent }}
          className="link mono"
        >
          {words}
        </Link>
      )}
    />
  );
}
