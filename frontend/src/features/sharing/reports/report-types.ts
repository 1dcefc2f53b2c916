import type { RecordedResponses, BlockIn, TextBlockOut, SnapshotBlockOut } from '../../../api';

export type Block = TextBlockOut | SnapshotBlockOut;
export type ViewBlock = SnapshotBlockOut;

/** A page of the product as it was: its address, when it was frozen, and what the API had answered it. */
export type SnapshotViewProps = { path: string; at: string; answers: RecordedResponses };
export type BlockFields = BlockIn;

/** What a recording says of its report: as the team sees it, or scrubbed, as others do. */
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

/** What is removed before signed-out readers see it. */
export type Scrub = { labels: boolean; paths: boolean; hosts: boolean; users: boolean };

export const ALL_SCRUBBED: Scrub = { labels: true, paths: true, hosts: true, users: true };
