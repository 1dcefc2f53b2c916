export { CommitPage, CommitsBetween, Repositories } from './LazyCommits';
export { readWholeDiff, repositoriesQuery } from './commit-queries';
