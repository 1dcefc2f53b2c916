/** Loads the commits between two builds and shows the caveats of the list. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { EmptyState, ErrorState, SkeletonRows } from '../../../ui';
import { CommitsTable, type CommitsTableProps } from './CommitsTable';
import classes from './commits.module.css';
import { betweenQuery, readClosures, type CommitRange } from './commit-queries';
import { rangeCaveats, rangeSentence } from './commit-wording';

export type CommitsBetweenProps = CommitRange & {
  mayWrite: boolean;
  commitLink: (repositoryId: string, sha: string, words: string) => React.ReactNode;
};

export default function CommitsBetween({ mayWrite, commitLink, ...range }: CommitsBetweenProps) {
  const client = useQueryClient();
  const found = useQuery(betweenQuery(range));
  const read = useMutation({
    mutationFn: () => readClosures(range),
    onSettled: () =>
      client.invalidateQueries({ queryKey: ['service', range.serviceId, 'commits'] }),
  });
  if (found.error) {
    return (
      <ErrorState
        what="Could not load the commits"
        error={found.error}
        action={<Button onClick={() => void found.refetch()}>Try again</Button>}
      />
    );
  }
  if (!found.data) return <SkeletonRows rows={4} height={46} />;
  const { data } = found;
  const { repository } = data;
  if (repository === null) return <EmptyState>{data.unknown_reason}</EmptyState>;
  const link: CommitsTableProps['commitLink'] = (sha, words) =>
    commitLink(repository.id, sha, words);
  const caveats = rangeCaveats(data);
  const open = data.closure_state === 'unknown' || data.closure_state === 'partly';
  return (
    <>
      <div className={classes.sentence}>
        <span>{rangeSentence(data, repository.name)}</span>
        {data.closure_state === 'reading' && (
          <span className="muted" role="status">
            checking which commits change the binary
          </span>
        )}
        {mayWrite && open && data.total > 0 && repository.kind !== 'pushed' && (
          <Button size="compact-xs" loading={read.isPending} onClick={() => read.mutate()}>
            Exclude commits that do not change the binary
          </Button>
        )}
      </div>
      {read.error && <ErrorState compact error={read.error} />}
      {caveats.length > 0 && (
        <ul className={classes.caveats} aria-label="Caveats">
          {caveats.map((caveat) => (
            <li key={caveat}>{caveat}</li>
          ))}
        </ul>
      )}
      {data.commits.length === 0 ? (
        <EmptyState>The two builds were made from the same commits.</EmptyState>
      ) : (
        <CommitsTable commits={data.commits} commitLink={link} />
      )}
    </>
  );
}
