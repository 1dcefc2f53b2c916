export { CommitPage, CommitsBetween, Repositories, SuspectCommit } from './LazyCommits';
export { AssignPerson } from './AssignPerson';
export { CommitPeopleLine, type CommitMember } from './CommitPeopleLine';
export { DeploymentPeople } from './DeploymentPeople';
export { codeHostLink } from './commit-wording';
export { readWholeDiff, repositoriesQuery } from './commit-queries';
