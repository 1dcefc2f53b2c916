export { Account } from './Account';
export { AuditLog } from './AuditLog';
export { Entrance, InsecurePage } from './Entrance';
export { Members } from './Members';
export { SignInForm, SignUpForm } from './SignIn';
export { TeamSettings } from './TeamSettings';
export { Tokens } from './Tokens';
export {
  acceptInvitation,
  createTeam,
  invitationQuery,
  membersQuery,
  sessionQuery,
  signOut,
} from './queries';
