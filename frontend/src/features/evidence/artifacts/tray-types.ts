/** Types of the upload tray. */
import type { Facts } from '../../../api';
import type { SideName } from './side-guess';

export type AddedFiles = { file: File; path: string };

export type TrayItem = {
  key: string;
  name: string;
  /** The file name with the folders it was dropped in, or its path in an archive. */
  path: string;
  /** The bytes; null if only the server has them: after a reload, and for files of an archive. */
  file: File | null;
  sizeBytes: number;
  /** Milliseconds since 1970, from the file system; 0 if unknown. */
  modified: number;
  /** The number of the file's drop, from 0. */
  drop: number;
  side: SideName | null;
  /** Whether the user placed it; guesses do not change its side. */
  placed: boolean;
  phase: 'waiting' | 'sending' | 'sent' | 'stopped';
  sentBytes: number;
  error: unknown;
  artifactId: string | null;
  /** The batch ID of the artifact: an older one if an interrupted upload was resumed. */
  batch: string | null;
  facts: Facts;
};

/** A sidecar without its file, or a file that could not be read. */
export type UnmatchedMetadata = { path: string; error: string };

export type TrayState = {
  open: boolean;
  batch: string;
  /** The number of drops so far. */
  drops: number;
  items: TrayItem[];
  labels: Record<SideName, string>;
  reason: string;
  /** Dropped metadata without a matching file; shown in the drawer. */
  strays: UnmatchedMetadata[];
};
