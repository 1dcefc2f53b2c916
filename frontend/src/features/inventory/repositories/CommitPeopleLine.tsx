/** A commit with its people: title, author, reviewers, owners, pull request, and links to the code host. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { CommitPeople } from '../../../api';
import { peopleQuery } from './commit-queries';
import { OWNERS_UNKNOWN, codeHostLink, shortSha } from './commit-wording';
import classes from './commits.module.css';

export type CommitPeopleLineProps = {
  repositoryId: string;
  sha: string;
  /** What the commit is here: "Suspect commit". */
  label: string;
  commitLink: (repositoryId: string, sha: string, words: string) => ReactNode;
  /** What can be done about its author, if they are a member. */
  action?: (author: { id: string; name: string }) => ReactNode;
  aside?: ReactNode;
};

export function CommitPeopleLine(props: CommitPeopleLineProps) {
  const { repositoryId, sha, label, commitLink, action, aside } = props;
  const { data } = useQuery(peopleQuery(repositoryId, sha));
  const author = data?.author;
  return (
    <p className={classes.people}>
      <span>
        {label} <span className="mono">{commitLink(repositoryId, sha, shortSha(sha))}</span>
      </span>
      {data?.title && <bdi>“{data.title}”</bdi>}
      {aside}
      {author && author.name !== '' && (
        <span>
          by <bdi>{author.user_name ?? author.name}</bdi>
        </span>
      )}
      {data && <Others people={data} />}
      {author?.user_id && action?.({ id: author.user_id, name: author.user_name ?? author.name })}
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
