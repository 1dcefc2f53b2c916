export { ArtifactDetail } from './ArtifactDetail';
export { ArtifactsTable, type ArtifactCells } from './ArtifactsTable';
export { BuildArtifacts } from './BuildArtifacts';
export { PageDropZone } from './PageDropZone';
export { UploadDrawer, type Ready } from './UploadDrawer';
export { artifactQuery, isUnderWay, ofBuildQuery, updateBuild } from './artifact-queries';
export {
  describe as describeArtifact,
  hasStacks,
  isCompared,
  kindPlural,
} from './artifact-wording';
export { tray } from './tray-store';
export { uploadButtonText, useTray } from './use-tray';
export { readArtifactsSearch } from './artifacts-url';
