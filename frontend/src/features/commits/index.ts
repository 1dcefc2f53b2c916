export { CommitPage, CommitsBetween, Repositories } from './Lazy';
export { readWholeDiff, repositoriesQuery } from './queries';
