export { SetupPage } from './LazySetup';
export { isEmptyTeam, stepQuery, type StepId } from './setup-steps';
