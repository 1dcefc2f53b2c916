/**
 * Queries of repositories, the commits between two builds, and diffs of commits. The first part of
 * a key is the kind that events name.
 */
import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { calls, type RepositoryChange, type RepositoryWords } from '../../../api';

/** The maximum number of repositories of a team. */
const MOST = 200;
/** The interval of polling while a git job runs, whose event may be lost. */
const POLL_MS = 3_000;

export const repositoriesQuery = queryOptions({
  queryKey: ['repository', 'list'],
  queryFn: ({ signal }) => calls.repositoriesList({ query: { limit: MOST }, signal }),
  refetchInterval: ({ state }) =>
    state.data?.items.some(({ is_fetching: fetching }) => fetching) ? POLL_MS : false,
});

/** Requested once per dialog, because the code host may take seconds to respond. */
export const hostRepositoriesQuery = (repository_id: string) =>
  queryOptions({
    queryKey: ['repository', repository_id, 'host'],
    queryFn: ({ signal }) => calls.repositoriesListAtHost({ path: { repository_id }, signal }),
    retry: false,
    staleTime: 60_000,
  });

export const createRepository = (body: RepositoryWords) => calls.repositoriesCreate({ body });
export const updateRepository = (repository_id: string, body: RepositoryChange) =>
  calls.repositoriesUpdate({ path: { repository_id }, body });
export const deleteRepository = (repository_id: string) =>
  calls.repositoriesDelete({ path: { repository_id } });
export const fetchRepository = (repository_id: string) =>
  calls.repositoriesFetch({ path: { repository_id } });

/**
 * The range of commits between two builds of a service. The suspicion of a commit depends on what
 * regressed in the subject.
 */
export type CommitRange = {
  serviceId: string;
  good: string;
  bad: string;
  subject?: { regression_id: string } | { comparison_id: string };
};

export const betweenQuery = ({ serviceId, good, bad, subject }: CommitRange) =>
  queryOptions({
    queryKey: ['service', serviceId, 'commits', good, bad, subject ?? null],
    queryFn: ({ signal }) =>
      calls.commitsRange({
        path: { service_id: serviceId },
        query: { good, bad, ...subject },
        signal,
      }),
    retry: false,
    refetchInterval: ({ state }) => (state.data?.closure_state === 'reading' ? POLL_MS : false),
  });

export const readClosures = ({ serviceId, good, bad }: CommitRange) =>
  calls.packageClosuresCompute({ path: { service_id: serviceId }, body: { good, bad } });

export const commitQuery = (repository_id: string, sha: string) =>
  queryOptions({
    queryKey: ['commit', repository_id, sha],
    queryFn: ({ signal }) => calls.commitsGet({ path: { repository_id, sha }, signal }),
    retry: false,
  });

export const peopleQuery = (repository_id: string, sha: string) =>
  queryOptions({
    queryKey: ['commit', repository_id, sha, 'people'],
    queryFn: ({ signal }) => calls.commitsPeople({ path: { repository_id, sha }, signal }),
    retry: false,
  });

export const deploymentPeopleQuery = (deployment_id: string) =>
  queryOptions({
    queryKey: ['deployment', deployment_id, 'people'],
    queryFn: ({ signal }) => calls.deploymentsPeople({ path: { deployment_id }, signal }),
    retry: false,
  });

export const diffQuery = (repository_id: string, sha: string) =>
  queryOptions({
    queryKey: ['commit', repository_id, sha, 'diff'],
    queryFn: ({ signal }) => calls.commitsDiff({ path: { repository_id, sha }, signal }),
    retry: false,
    refetchInterval: ({ state }) => (state.data?.state === 'reading' ? POLL_MS : false),
  });

export const readDiff = (repository_id: string, sha: string) =>
  calls.commitsLoadDiff({ path: { repository_id, sha } });

/**
 * The maximum time to wait for a diff that is being read; without it, the page of the commit shows
 * that it is missing.
 */
const PATIENCE_MS = 20_000;
const READ_MS = 500;

/** Requests the diff of a commit if it was not read yet, and waits for it. */
export async function readWholeDiff(
  client: QueryClient,
  repository_id: string,
  sha: string,
): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  try {
    await readDiff(repository_id, sha);
    const wanted = { ...diffQuery(repository_id, sha), staleTime: 0 };
    while ((await client.query(wanted)).state === 'reading' && Date.now() < end)
      await new Promise((go) => setTimeout(go, READ_MS));
  } catch {
    // The page of the commit shows the error.
  }
}
