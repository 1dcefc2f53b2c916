/** The code hosts whose repositories can be listed. */
import type { Repository } from '../../../api';

/** A code host, and a known repository there whose credentials are used. */
export type ListedHost = {
  origin: string;
  name: string;
  repositoryId: string;
  repositoryName: string;
};

const LISTED: ReadonlySet<string> = new Set(['github', 'gitlab', 'gitea', 'bitbucket']);

/**
 * Returns each host once; of several repositories there, preferably with one that was fetched
 * without a problem.
 */
export function listedHosts(repositories: readonly Repository[]): ListedHost[] {
  const found = new Map<string, ListedHost>();
  const fetchedFirst = repositories.toSorted(
    (one, other) => Number(isFetched(other)) - Number(isFetched(one)),
  );
  for (const { id, name, kind, url, credentials } of fetchedFirst) {
    if (url === null || credentials === 'none' || !LISTED.has(kind) || !URL.canParse(url)) continue;
    const { origin, host } = new URL(url);
    if (found.has(origin)) continue;
    found.set(origin, { origin, name: host, repositoryId: id, repositoryName: name });
  }
  return [...found.values()];
}

const isFetched = ({ fetched_at, problem }: Repository) => fetched_at !== null && problem === null;
