/** What the tray holds. Types only. */
import type { Facts } from '../../../api';
import type { SideName } from './side-guess';

export type AddedFiles = { file: File; path: string };

export type TrayItem = {
  key: string;
  name: string;
  /** With the folders it was dropped in, or its place in an archive. */
  path: string;
  /** The bytes; null when the server has them: after a reload, and of files of an archive. */
  file: File | null;
  sizeBytes: number;
  /** Milliseconds since 1970, as the file system says; 0 if unknown. */
  modified: number;
  /** Number of the drop that it came with, from 0. */
  drop: number;
  side: SideName | null;
  /** Placed by hand: no later guess moves it. */
  placed: boolean;
  phase: 'waiting' | 'sending' | 'sent' | 'stopped';
  sentBytes: number;
  error: unknown;
  artifactId: string | null;
  /** With which drop the server keeps it: an older one when a broken upload went on. */
  batch: string | null;
  facts: Facts;
};

/** A sidecar without its file, or what could not be read. */
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
