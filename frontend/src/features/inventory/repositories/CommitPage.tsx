/** The page of a commit: its people and metadata, and its diff if the repository can be read. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, type ReactNode } from 'react';
import type { OneCommit } from '../../../api';
import {
  CopyField,
  ErrorState,
  PageHeader,
  Section,
  SkeletonRows,
  Timestamp,
  countOf,
  useTitle,
} from '../../../ui';
import { shortCommit } from '../../../lib/commits';
import { DiffView } from './DiffView';
import classes from './commits.module.css';
import { commitQuery, diffQuery, readDiff } from './commit-queries';
import { linesText, problemOf } from './commit-wording';

export type CommitPageProps = {
  repositoryId: string;
  sha: string;
  commitLink: (sha: string, words: string) => ReactNode;
};

export default function CommitPage({ repositoryId, sha, commitLink }: CommitPageProps) {
  const found = useQuery(commitQuery(repositoryId, sha));
  useTitle(found.data?.commit.title ?? 'Commit');
  if (found.error) {
    return (
      <>
        <PageHeader title="Could not load the commit" />
        <div className={classes.inset}>
          <ErrorState
            error={found.error}
            action={<Button onClick={() => void found.refetch()}>Try again</Button>}
          />
        </div>
      </>
    );
  }
  if (!found.data) {
    return (
      <>
        <PageHeader title={`Commit ${shortCommit(sha)}`} />
        <div className={classes.inset}>
          <SkeletonRows rows={6} />
        </div>
      </>
    );
  }
  return (
    <>
      <Head {...found.data} commitLink={commitLink} />
      <Section title="Changes" aside={filesText(found.data)}>
        <Changes repositoryId={repositoryId} sha={sha} />
      </Section>
    </>
  );
}

function filesText({ commit }: OneCommit): string {
  const { files_total, lines_added: added, lines_removed: removed } = commit;
  if (files_total === null) return 'files unknown';
  const files = countOf(files_total, 'file');
  return added === null && removed === null ? files : `${files}, ${linesText(added, removed)}`;
}

function Head({
  repository,
  commit,
  tags,
  commitLink,
}: OneCommit & Pick<CommitPageProps, 'commitLink'>) {
  const parents = commit.parents ?? [];
  return (
    <>
      <PageHeader
        above={<span className="muted">{repository.name}</span>}
        title={<bdi>{commit.title || `Commit ${shortCommit(commit.sha)}`}</bdi>}
        sub={
          <>
            <bdi>{commit.author_name || 'Author unknown'}</bdi>
            {commit.committed_at && (
              <>
                {' '}
                · <Timestamp at={commit.committed_at} exact />
              </>
            )}
            {tags.length > 0 && (
              <>
                {' '}
                · tagged <bdi className="mono">{tags.slice(0, 5).join(', ')}</bdi>
              </>
            )}
          </>
        }
        actions={
          commit.url && (
            <Button component="a" href={commit.url} target="_blank" rel="noreferrer noopener">
              View on code host
            </Button>
          )
        }
      />
      <div className={classes.inset}>
        <div className={classes.facts}>
          <CopyField label="Commit" value={commit.sha} />
          {parents.length > 0 && (
            <span>
              after{' '}
              {parents.map((parent) => (
                <span key={parent}>{commitLink(parent, shortCommit(parent))} </span>
              ))}
            </span>
          )}
        </div>
        {commit.message && <p className={classes.message}>{commit.message}</p>}
        {commit.dependency_updates && commit.dependency_updates.length > 0 && (
          <ul className={classes.caveats} aria-label="Changed dependency versions">
            {commit.dependency_updates.map(
              ({ module, old_version: before, new_version: after, file }) => (
                <li key={`${file} ${module}`}>
                  <span className="mono">{module}</span> {before ?? 'absent'} → {after ?? 'removed'}
                  <span className="muted"> in {file}</span>
                </li>
              ),
            )}
          </ul>
        )}
      </div>
    </>
  );
}

/** The diff of the commit; the worker reads it on the first request. */
function Changes({ repositoryId, sha }: { repositoryId: string; sha: string }) {
  const client = useQueryClient();
  const query = diffQuery(repositoryId, sha);
  const diff = useQuery(query);
  const read = useMutation({
    mutationFn: () => readDiff(repositoryId, sha),
    onSuccess: (response) => {
      client.setQueryData(query.queryKey, response);
    },
  });
  const state = diff.data?.state;
  const { mutate, isIdle } = read;
  useEffect(() => {
    if (state === 'unread' && isIdle) mutate();
  }, [state, isIdle, mutate]);
  const again = (
    <Button loading={read.isPending} onClick={() => mutate()}>
      Try again
    </Button>
  );
  if (diff.error) return <ErrorState error={diff.error} />;
  if (read.error) return <ErrorState error={read.error} action={again} />;
  if (state === 'failed') {
    return (
      <ErrorState
        what="Could not load the changes"
        error={problemOf(diff.data?.problem)}
        action={again}
      />
    );
  }
  if (state === 'unavailable')
    return (
      <p className="t2">
        Only commit metadata of this repository was pushed, so its lines are not available. Set its
        URL in the settings.
      </p>
    );
  if (state !== 'ready' || !diff.data)
    return <SkeletonRows rows={8} height={18} label="Loading the changes" />;
  return <DiffView diff={diff.data} />;
}
