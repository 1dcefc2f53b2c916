import type { ReactNode } from 'react';
import { Link } from './Link';

export const commitLink =
  (team: string) => (repositoryId: string, sha: string, words: ReactNode) => (
    <Link
      to="/t/$team/repositories/$repositoryId/commits/$sha"
      params={{ team, repositoryId, sha }}
      className="link"
    >
      {words}
    </Link>
  );
