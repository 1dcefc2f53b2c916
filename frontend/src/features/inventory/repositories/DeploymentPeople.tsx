/**
 * The people of a deployment: authors and reviewers of its commits, and owners of the files that
 * they change.
 */
import { useQuery } from '@tanstack/react-query';
import type { DeploymentPeople as People } from '../../../api';
import { DetailsList, countOf } from '../../../ui';
import { deploymentPeopleQuery } from './commit-queries';
import { OWNERS_UNKNOWN } from './commit-wording';

export function DeploymentPeople({ deploymentId }: { deploymentId: string }) {
  const { data, error } = useQuery(deploymentPeopleQuery(deploymentId));
  if (error) return <p className="muted">Authors and code owners are unknown. {error.message}</p>;
  if (!data) return null;
  return (
    <DetailsList
      facts={[
        ['Authors', <bdi key="authors">{authorsText(data)}</bdi>],
        ['Reviewers', <bdi key="reviewers">{namesText(data.reviewers) || 'none known'}</bdi>],
        ['Code owners', <bdi key="owners">{ownersText(data)}</bdi>],
      ]}
    />
  );
}

function authorsText({ authors, commits, complete }: People): string {
  if (commits === 0) return 'No commits since the former deployment.';
  return namesText(authors) + (complete ? '' : '. Older commits may be missing.');
}

function namesText(people: People['authors']): string {
  const names = people.map(
    ({ name, user_name: member, commits: count }) =>
      `${member ?? (name || 'unknown')} (${countOf(count, 'commit')})`,
  );
  return names.join(', ');
}

function ownersText({ owners, owners_reason: reason }: People): string {
  if (owners === null) return reason === null ? 'unknown' : OWNERS_UNKNOWN[reason];
  return owners.length > 0 ? owners.join(', ') : 'none for the changed files';
}
