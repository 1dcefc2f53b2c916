export { GrowthSection } from './Lazy';
export {
  USUAL_GROWTH_VIEW,
  growthFields,
  growthSearchOf,
  growthViewOf,
  type GrowthView,
} from './url';
