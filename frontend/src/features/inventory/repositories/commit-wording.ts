/** Texts of repositories and commits. */
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

/**
 * Returns the text of a link to a code host: by the kind of the repository, else by the host of the
 * URL.
 */
export function codeHostLink(url: string, kind?: Repository['kind']): string {
  const named = kind !== undefined && kind !== 'other' && kind !== 'pushed' ? KINDS[kind] : null;
  return `Open on ${named ?? new URL(url).host}`;
}

/** The reasons why owners are missing; empty if none is shown. */
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

/** Returns the caveats of the list of commits. */
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

/** Formats a share of suspicion. Shares near 0 and 1 are not rounded to 0% or 100%. */
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

/** Returns the problem of a failed job as an error. */
export const problemOf = (problem: { detail: string } | null | undefined): Error =>
  new Error(problem?.detail ?? 'The job failed.');
