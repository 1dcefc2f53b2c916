export { DropAnywhere } from './DropAnywhere';
export { UploadDrawer, uploadButtonText, useTray, type Ready } from './UploadDrawer';
export { tray } from './state';
