export { GrowthFacts } from './GrowthFacts';
export { GrowthPage, GrowthSection } from './LazyGrowth';
export {
  GROWTH_COLUMNS,
  growthFields,
  growthSearchOf,
  growthViewOf,
  type GrowthView,
} from './growth-url';
