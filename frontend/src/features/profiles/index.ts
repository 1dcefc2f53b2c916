export { ProfileFacts } from './ProfileFacts';
