/** The short form of a commit; `backend/slowpath/commit_names.py` has the same for sentences. */

/** Of a commit, as pages show it. */
const COMMIT_DIGITS = 10;

/** The first digits of a commit; names of releases, branches and settings stay whole. */
export const shortCommit = (commit: string): string =>
  /^[0-9a-f]+$/iu.test(commit) ? commit.slice(0, COMMIT_DIGITS) : commit;
