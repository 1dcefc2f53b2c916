export { SetupPage } from './LazySetup';
export { firstStepQuery, isEmptyTeam, type FirstStepId } from './setup-state';
