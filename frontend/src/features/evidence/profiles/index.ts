export { CallGraphSection } from './CallGraphSection';
export { ExportItems, useExportFile, type FileChoice, type PictureForm } from './export-file';
export { ArtifactProfile, ProfileSetPage } from './LazyProfiles';
export { HotPaths } from './LazyStackSizes';
export { ProfileFacts } from './ProfileFacts';
export type { ProfilePageContext, ProfileSide } from './profile-context';
export { openProfileSet, profileSetQuery, setOfArtifactsQuery } from './profile-queries';
export { profileSnapshotRequests } from './profile-snapshot-requests';
export {
  profileSearchOf,
  profileViewOf,
  readProfileSearch,
  type ProfilePageView,
  type ProfileSearch,
} from './profile-url';
