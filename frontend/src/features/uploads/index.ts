export { ArtifactDetail } from './ArtifactDetail';
export { ArtifactsTable } from './ArtifactsTable';
export { BuildFiles } from './BuildFiles';
export { DropAnywhere } from './DropAnywhere';
export { UploadDrawer, type Ready } from './UploadDrawer';
export { artifactsQuery, changeBuild, type Wanted } from './queries';
export { tray } from './state';
export { uploadButtonText, useTray } from './use-tray';
