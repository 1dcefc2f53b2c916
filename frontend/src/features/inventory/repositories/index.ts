export { CommitPage, CommitsBetween, Repositories, SuspectCommit } from './LazyCommits';
export { CommitPeopleLine } from './CommitPeopleLine';
export { codeHostLink } from './commit-wording';
export { readWholeDiff, repositoriesQuery } from './commit-queries';
