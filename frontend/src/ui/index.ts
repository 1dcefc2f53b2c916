export { agoText, countOf, countText, durationText, sizeText, timeText } from './amounts';
export { CopyField } from './CopyField';
export { CredentialsAgain, CredentialsFields, type CredentialsChoice } from './CredentialsFields';
export {
  CREDENTIALS,
  NO_SECRETS,
  asksAgain,
  credentialsOf,
  type CredentialsKind,
} from './credentials';
export { DataTable, type Column, type Sort } from './DataTable';
export { DeleteDialog } from './DeleteDialog';
export { download } from './download';
export { draftOf, forgetDrafts, keepDraft, useDraft } from './draft';
export { FactsList } from './FactsList';
export { FormBody, FormDialog } from './FormDialog';
export { ListRow, ListSection, RowAct, RowActs, RowLine, RowName } from './ListSection';
export {
  FrozenPlace,
  LiveOnly,
  PageActionPlace,
  ReportParts,
  useFrozen,
  useMoment,
} from './Frozen';
export { Late, usePressed } from './Late';
export { Markdown } from './Markdown';
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
