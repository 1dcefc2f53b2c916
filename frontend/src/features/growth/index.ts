export { GrowthFacts } from './GrowthFacts';
export { GrowthPage, GrowthSection } from './Lazy';
export {
  GROWTH_COLUMNS,
  USUAL_GROWTH_VIEW,
  growthFields,
  growthSearchOf,
  growthViewOf,
  type GrowthView,
} from './url';
