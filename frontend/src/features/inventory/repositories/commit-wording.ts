/** What repositories and commits are called in sentences. */
import type { CommitPeople, CommitRangeOut, FileDiff, Repository } from '../../../api';
import { countOf } from '../../../ui';
import { shortCommit } from '../../../lib/commits';

export const KINDS: Record<Repository['kind'], string> = {
  github: 'GitHub',
  gitlab: 'GitLab',
  bitbucket: 'Bitbucket',
  gitea: 'Gitea',
  other: 'git',
  pushed: 'pushed metadata',
};

/** Text of a link to a code host: by the kind of the repository, else by the host of the address. */
export function codeHostLink(url: string, kind?: Repository['kind']): string {
  const named = kind !== undefined && kind !== 'other' && kind !== 'pushed' ? KINDS[kind] : null;
  return `Open on ${named ?? new URL(url).host}`;
}

/** Why owners are missing; empty if there is nothing to say. */
export const OWNERS_UNKNOWN: Record<NonNullable<CommitPeople['owners_reason']>, string> = {
  'no-mirror': 'owners unknown: no mirror of this commit',
  'no-code-owners': '',
  'too-large': 'owners unknown: CODEOWNERS is larger than 1 MiB',
  'no-files': '',
};

export function rangeSentence(found: CommitRangeOut, repository: string): string {
  const { total } = found;
  const range = `${shortCommit(found.good)} and ${shortCommit(found.bad)}`;
  if (total === 0) return `No commits between ${range} in ${repository}.`;
  return `${countOf(total, 'commit')} between ${range} in ${repository}.`;
}

/** What must be known before the list is believed. */
export function rangeCaveats(found: CommitRangeOut): string[] {
  return [
    !found.is_ancestor && found.total > 0
      ? 'The good commit is not an ancestor of the bad commit. Listed are the commits only the bad one contains.'
      : '',
    found.complete ? '' : 'Some parent commits are unknown. The list may be incomplete.',
    found.commits.length < found.total
      ? `Only the newest ${String(found.commits.length)} are listed.`
      : '',
  ].filter(Boolean);
}

/** A share of suspicion in words that stay honest at both ends. */
export function shareText(share: number): string {
  if (share === 0) return 'excluded';
  if (share < 0.01) return '< 1%';
  return share > 0.99 && share < 1 ? '> 99%' : `${String(Math.round(share * 100))}%`;
}

export const fileName = ({ old_path, new_path }: FileDiff): string => {
  if (old_path !== null && new_path !== null && old_path !== new_path)
    return `${old_path} → ${new_path}`;
  return new_path ?? old_path ?? 'a file without a name';
};

export function fileState({ old_path, new_path, binary }: FileDiff): string {
  const what =
    old_path === null
      ? 'new'
      : new_path === null
        ? 'removed'
        : old_path === new_path
          ? ''
          : 'renamed';
  return [what, binary ? 'binary' : ''].filter(Boolean).join(', ');
}

export const linesText = (added: number | null, removed: number | null): string =>
  added === null && removed === null
    ? 'unknown'
    : `+${String(added ?? 0)} −${String(removed ?? 0)}`;

/** Why something failed, as the API reports it. */
export const problemOf = (problem: { detail: string } | null | undefined): Error =>
  new Error(problem?.detail ?? 'The job failed.');
