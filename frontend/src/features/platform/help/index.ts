export { ApiReference } from './ApiReference';
export { GuidePage } from './GuidePage';
export { GuideSearch } from './GuideSearch';
export type { RenderGuideLink } from './GuideText';
export { API_REFERENCE, GUIDE_PAGES, GUIDE_START, type GuideAddress } from './guide-pages';
