export { CommitPage, CommitsBetween, Repositories } from './Lazy';
export { repositoriesQuery } from './queries';
