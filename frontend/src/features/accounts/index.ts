export { Entrance, InsecurePage } from './Entrance';
export { SignInForm, SignUpForm } from './SignIn';
export { acceptInvitation, createTeam, invitationQuery, sessionQuery, signOut } from './queries';
