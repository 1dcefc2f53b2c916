/** Text of a report that was being written when the page was left. */
import { draftOf, keepDraft } from '../../ui';

/** Nothing is being written, new text at a place, or the words of a block. */
export type Writing = null | { at: number } | { id: string };

type Left = { place: Exclude<Writing, null>; markdown: string };

const nameOf = (reportId: string) => `report ${reportId}`;

/** What was being written of a report in this tab, and was not kept. */
export function leftOf(reportId: string): Left | null {
  const left = draftOf(nameOf(reportId));
  return left === null ? null : (JSON.parse(left) as Left);
}

/** Remember what is typed at a place. */
export const leave = (reportId: string, place: Left['place']) => (markdown: string) => {
  keepDraft(nameOf(reportId), JSON.stringify({ place, markdown } satisfies Left));
};

export const unwritten = (reportId: string) => {
  keepDraft(nameOf(reportId), '');
};
