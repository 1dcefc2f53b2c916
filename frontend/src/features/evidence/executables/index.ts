export { Assembly, ExecutableFunctions } from './LazyExecutableFunctions';
