/** Short forms of commits; `backend/slowpath/commit_names.py` does the same for sentences. */

/** The number of digits of a commit that pages show. */
const COMMIT_DIGITS = 10;

/**
 * Returns the first digits of a commit; leaves names of releases, branches and settings unchanged.
 */
export const shortCommit = (commit: string): string =>
  /^[0-9a-f]+$/iu.test(commit) ? commit.slice(0, COMMIT_DIGITS) : commit;

/** The lowest number of digits in Git's short form. */
const LEAST_DIGITS = 7;

/** Returns whether a text contains the commit, with at least as many digits as Git's short form. */
export const namesCommit = (text: string, commit: string): boolean =>
  text.includes(commit.slice(0, LEAST_DIGITS));
