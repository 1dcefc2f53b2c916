export { StorageSettings } from './LazyStorage';
export { expiresAt, retentionQuery } from './retention-queries';
