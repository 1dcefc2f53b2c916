export { Account } from './Account';
export { AuditLog } from './AuditLog';
export { ClosedTeams } from './ClosedTeams';
export { DeleteAccount } from './DeleteAccount';
export { ForgottenForm, NewPasswordForm } from './Forgotten';
export { Entrance, InsecurePage } from './Entrance';
export { Members } from './Members';
export { ReturnFromIssuer } from './Return';
export { SignInForm, SignUpForm } from './SignIn';
export { TeamSettings } from './TeamSettings';
export { Tokens } from './Tokens';
export {
  acceptInvitation,
  createTeam,
  invitationQuery,
  membersQuery,
  sessionQuery,
  waysQuery,
  signOut,
} from './queries';
