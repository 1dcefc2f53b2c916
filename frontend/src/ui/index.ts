export { agoText, countOf, countText, durationText, sizeText, timeText } from './amounts';
export { CopyField } from './CopyField';
export { DataTable, type Column, type Sort } from './DataTable';
export { DeleteDialog } from './DeleteDialog';
export { download } from './download';
export { FactsList } from './FactsList';
export { DoubtMark, KeyHint, SideMark, StateGlyph, type Glyph, type Side } from './Marks';
export { PageHead, Section, Toolbar, useTitle } from './Page';
export { preference, prefer } from './preferences';
export {
  EmptyState,
  ErrorState,
  ProblemBoundary,
  SkeletonRows,
  tellingOf,
  useSlow,
  type Telling,
} from './States';
export { Time } from './Time';
export { cssVariablesResolver, theme } from './theme';
