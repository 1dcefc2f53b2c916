export { CommitPage, CommitsBetween, Repositories } from './Lazy';
