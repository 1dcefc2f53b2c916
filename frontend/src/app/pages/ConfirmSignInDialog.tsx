export { ConfirmSignIn } from '../../features/platform/accounts';
