import type { RecordedResponses, BlockIn, TextBlockOut, SnapshotBlockOut } from '../../../api';

export type Block = TextBlockOut | SnapshotBlockOut;
export type ViewBlock = SnapshotBlockOut;

/**
 * A page in a snapshot: its path, when the snapshot was taken, and the recorded responses of the
 * API.
 */
export type SnapshotViewProps = { path: string; at: string; answers: RecordedResponses };
export type BlockFields = BlockIn;

/** The report in a bundle: as the team sees it, or scrubbed for others. */
export type RecordedReport = {
  number: number;
  title: string;
  version: number | null;
  updated_at: string;
  published_at: string | null;
  team: string;
  expires_at: string | null;
  created_by: string | null;
  blocks: Block[];
};

/** The kinds of data that are removed for signed-out readers. */
export type Scrub = { labels: boolean; paths: boolean; hosts: boolean; users: boolean };

export const ALL_SCRUBBED: Scrub = { labels: true, paths: true, hosts: true, users: true };
