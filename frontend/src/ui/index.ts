export { countOf, countText, durationText, sizeText } from './format-amounts';
export { CodeBlock } from './CodeBlock';
export { CopyField } from './CopyField';
export { CredentialsFields, useCredentials } from './CredentialsFields';
export { CREDENTIALS } from './credentials';
export { DataTable } from './DataTable';
export type { Sort } from '../lib/list-search';
export type { Column } from './table-column';
export { MoreRows, PagedTable } from './PagedTable';
export { pagedList, usePagedList, type ShownList } from './paged-list';
export { useListTools } from './use-list-tools';
export { DeleteDialog, DeleteResource } from './DeleteDialog';
export { copyPicture, download, downloadBlob } from './download';
export { findDraft, deleteDrafts, keepDraftsOf, saveDraft, useDraft } from './draft-storage';
export { DetailsList } from './FactsList';
export { EditableList } from './EditableList';
export { FormBody, FormDialog, NameField } from './FormDialog';
export { onText } from './text-handlers';

export { ListTable } from './ListTable';
export { ListToolSlotContext } from './list-tool-slot';
export {
  ExpandButton,
  ListRow,
  ListSection,
  RowAction,
  RowActions,
  RowLine,
  RowList,
  RowName,
  RowText,
} from './ListSection';
export { OneTimeSecret } from './OneTimeSecret';
export {
  SnapshotContext,
  HiddenInSnapshot,
  PageActionSlot,
  ReportParts,
  useIsSnapshot,
  useReferenceTime,
} from './SnapshotContext';
export { HelpLink } from './HelpLink';
export type { HelpTopic } from './help-topics';
export { useKeyHints, useShownKeyHints, type KeyHintEntry } from './key-hints';
export { IdentifierText } from './IdentifierText';
export { LazyPopover, useFirstOpen } from './LazyPopover';
export { Markdown } from './Markdown';
export { CaveatIcon, KeyHint, SideMark, StateIcon, type Glyph } from './SideMarks';
export { PageHeader, Section, Toolbar, useTitle } from './Page';
export { getPreference, setPreference } from './local-preferences';
export {
  EmptyState,
  ErrorState,
  ProblemBoundary,
  SkeletonRows,
  describeError,
  useIsSlow,
} from './PlaceholderStates';
export { PersonName, initialsOf } from './PersonName';
export { SelectionBar } from './SelectionBar';
export { Timestamp } from './Timestamp';
export { useTimeZone } from './time-zone';
export { cssVariablesResolver, theme } from './theme';
