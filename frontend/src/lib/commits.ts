/** The short form of a commit; `backend/slowpath/commit_names.py` has the same for sentences. */

/** Of a commit, as pages show it. */
const COMMIT_DIGITS = 10;

/** The first digits of a commit; names of releases, branches and settings stay whole. */
export const shortCommit = (commit: string): string =>
  /^[0-9a-f]+$/iu.test(commit) ? commit.slice(0, COMMIT_DIGITS) : commit;

/** Git writes at least seven digits. */
const LEAST_DIGITS = 7;

/** Whether a text names the commit, with as many digits as Git's own short form or more. */
export const namesCommit = (text: string, commit: string): boolean =>
  text.includes(commit.slice(0, LEAST_DIGITS));
