/**
 * A line with a commit and its people: title, author, reviewers, owners, pull request, and links to
 * the code host.
 */
import { useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode } from 'react';
import type { CommitPeople } from '../../../api';
import { shortCommit } from '../../../lib/commits';
import { peopleQuery } from './commit-queries';
import { OWNERS_UNKNOWN, codeHostLink } from './commit-wording';
import classes from './commits.module.css';

export type CommitMember = { id: string; name: string; role: 'author' | 'reviewer' | 'code owner' };

/** Returns each member once, with the first of their roles. */
function membersOf({ author, reviewers, owner_members: owners }: CommitPeople): CommitMember[] {
  const all = [
    { person: author, role: 'author' as const },
    ...reviewers.map((person) => ({ person, role: 'reviewer' as const })),
    ...owners.map((person) => ({ person, role: 'code owner' as const })),
  ];
  const found = new Map<string, CommitMember>();
  for (const { person, role } of all) {
    const { user_id: id, user_name: name } = person;
    if (id !== null && !found.has(id)) found.set(id, { id, name: name ?? person.name, role });
  }
  return [...found.values()];
}

export type CommitPeopleLineProps = {
  repositoryId: string;
  sha: string;
  /** The role of the commit on the page: "Suspect commit". */
  label: string;
  commitLink: (repositoryId: string, sha: string, words: string) => ReactNode;
  /** Renders an action for each author, reviewer and code owner who is a member of the team. */
  action?: (person: CommitMember) => ReactNode;
  aside?: ReactNode;
};

export function CommitPeopleLine(props: CommitPeopleLineProps) {
  const { repositoryId, sha, label, commitLink, action, aside } = props;
  const { data } = useQuery(peopleQuery(repositoryId, sha));
  const author = data?.author;
  return (
    <p className={classes.people}>
      <span>
        {label} <span className="mono">{commitLink(repositoryId, sha, shortCommit(sha))}</span>
      </span>
      {data?.title && <bdi>“{data.title}”</bdi>}
      {aside}
      {author && author.name !== '' && (
        <span>
          by <bdi>{author.user_name ?? author.name}</bdi>
        </span>
      )}
      {data && <Others people={data} />}
      {data &&
        action &&
        membersOf(data).map((one) => <Fragment key={one.id}>{action(one)}</Fragment>)}
    </p>
  );
}

function Others({ people }: { people: CommitPeople }) {
  const {
    reviewers,
    owners,
    owners_reason: reason,
    pull_request: request,
    url,
    repository,
  } = people;
  return (
    <>
      {reviewers.length > 0 && (
        <span className="muted">
          reviewed by <bdi>{reviewers.map((one) => one.user_name ?? one.name).join(', ')}</bdi>
        </span>
      )}
      {owners !== null && owners.length > 0 && (
        <span className="muted">
          owners <bdi>{owners.join(', ')}</bdi>
        </span>
      )}
      {reason !== null && OWNERS_UNKNOWN[reason] && (
        <span className="muted">{OWNERS_UNKNOWN[reason]}</span>
      )}
      {request?.url && (
        <HostLink url={request.url}>{`Pull request ${String(request.number)}`}</HostLink>
      )}
      {url !== null && <HostLink url={url}>{codeHostLink(url, repository.kind)}</HostLink>}
    </>
  );
}

function HostLink({ url, children }: { url: string; children: string }) {
  if (!url.startsWith('https://') && !url.startsWith('http://')) return null;
  return (
    <a className="link nowrap" href={url} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  );
}
