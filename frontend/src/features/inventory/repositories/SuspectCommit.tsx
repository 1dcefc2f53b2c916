/**
 * The most suspicious commit between two builds, with its people; without a repository, the reason
 * why it is missing.
 */
import { useQuery } from '@tanstack/react-query';
import type { CommitPeopleLineProps } from './CommitPeopleLine';
import { CommitPeopleLine } from './CommitPeopleLine';
import { betweenQuery, type CommitRange } from './commit-queries';
import { shareText } from './commit-wording';
import classes from './commits.module.css';

export type SuspectCommitProps = CommitRange & Pick<CommitPeopleLineProps, 'commitLink' | 'action'>;

export default function SuspectCommit({ commitLink, action, ...range }: SuspectCommitProps) {
  const { data } = useQuery(betweenQuery(range));
  const first = data?.commits.reduce<(typeof data.commits)[number] | null>(
    (most, one) =>
      most === null || one.suspicion.probability > most.suspicion.probability ? one : most,
    null,
  );
  if (data?.unknown_reason)
    return (
      <p className={`${classes.people} muted`}>Suspect commit unknown: {data.unknown_reason}</p>
    );
  if (!data?.repository || !first || first.suspicion.probability === 0) return null;
  const alone = data.commits.length === 1;
  return (
    <CommitPeopleLine
      repositoryId={data.repository.id}
      sha={first.sha}
      label={alone ? 'Only commit' : 'Suspect commit'}
      aside={
        !alone && (
          <span className="muted">
            most suspected of {data.total} commits: {shareText(first.suspicion.probability)}
          </span>
        )
      }
      commitLink={commitLink}
      action={action}
    />
  );
}
