export { ExecutableFunctions } from './LazyExecutableFunctions';
