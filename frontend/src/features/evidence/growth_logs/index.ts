export { GrowthFacts } from './GrowthFacts';
export { GrowthPage, GrowthSection } from './LazyGrowth';
export {
  GROWTH_COLUMNS,
  DEFAULT_GROWTH_VIEW,
  growthFields,
  growthSearchOf,
  growthViewOf,
  type GrowthView,
} from './growth-url';
