import type { Answers, BlockIn, ProseBlockOut, ViewBlockOut } from '../../api';

export type Block = ProseBlockOut | ViewBlockOut;
export type ViewBlock = ViewBlockOut;

/** A page of the product as it was: its address, when it was frozen, and what the API had answered it. */
export type FrozenViewProps = { path: string; at: string; answers: Answers };
export type BlockWords = BlockIn;

/** What a recording says of its report: as the team sees it, or scrubbed, as others do. */
export type RecordedReport = {
  number: number;
  title: string;
  version: number | null;
  changed_at: string;
  published_at: string | null;
  team: string;
  expires_at: string | null;
  created_by: string | null;
  blocks: Block[];
};

/** What is taken out before anybody signed out sees it. */
export type Scrub = { labels: boolean; paths: boolean; hosts: boolean; people: boolean };

export const ALL_SCRUBBED: Scrub = { labels: true, paths: true, hosts: true, people: true };
