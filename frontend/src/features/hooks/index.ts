export { Hooks } from './Lazy';
