/** Links to the page of a commit, which shows its diff. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { repositoriesQuery } from '../features/inventory/repositories';
import { Link } from './Link';

export const commitLink =
  (team: string) => (repositoryId: string, sha: string, words: ReactNode) => (
    <Link
      to="/t/$team/repositories/$repositoryId/commits/$sha"
      params={{ team, repositoryId, sha }}
      className="link"
      onClick={(event) => event.stopPropagation()}
    >
      {words}
    </Link>
  );

type Built = { service_id: string; commit: string };
const SHA = /^[0-9a-f]{7,40}$/u;

/**
 * Returns a function that links the commit of a build. It returns plain text if no repository is
 * configured for the service of the build.
 */
export function useBuildCommitLink(team: string) {
  const repositories = useQuery(repositoriesQuery).data?.items ?? [];
  const link = commitLink(team);
  return ({ service_id, commit }: Built, words: ReactNode): ReactNode => {
    const repository = repositories.find(({ services }) =>
      services.some((service) => service.service_id === service_id),
    );
    return repository && SHA.test(commit) ? link(repository.id, commit, words) : words;
  };
}
