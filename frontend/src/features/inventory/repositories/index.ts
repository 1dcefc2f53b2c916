export { CommitPage, CommitsBetween, Repositories, SuspectCommit } from './LazyCommits';
export { AssignPerson } from './AssignPerson';
export { CommitPeopleLine, type CommitMember } from './CommitPeopleLine';
export { HostRepositorySelect, type HostChoice } from './HostRepositorySelect';
export { DeploymentPeople } from './DeploymentPeople';
export { codeHostLink } from './commit-wording';
export { readWholeDiff, repositoriesQuery } from './commit-queries';
