export { Account } from './Account';
export { AuditLog } from './AuditLog';
export { ConfirmSignIn } from './ConfirmSignIn';
export { ClosedTeams } from './ClosedTeams';
export { DeleteAccount } from './DeleteAccount';
export { PasswordResetForm, NewPasswordForm } from './PasswordReset';
export { AuthFrame, InsecurePage } from './AuthFrame';
export { Members } from './Members';
export { ProviderReturn } from './ProviderReturn';
export { SecondFactors } from './SecondFactors';
export { Sessions } from './Sessions';
export { SignInForm, SignUpForm } from './SignIn';
export { TeamSettings } from './TeamSettings';
export { RevokeToken, Tokens } from './Tokens';
export {
  acceptInvitation,
  createTeam,
  createToken,
  invitationQuery,
  membersQuery,
  sessionQuery,
  signInMethodsQuery,
  signOut,
  tokensQuery,
} from './account-queries';
