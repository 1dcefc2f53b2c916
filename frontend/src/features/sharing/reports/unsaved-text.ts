/** Text of a report that was being written when the page was left. */
import { findDraft, saveDraft } from '../../../ui';

/** Nothing is being written, new text at a place, or the words of a block. */
export type ReportTextEdit = null | { at: number } | { id: string };

type Left = { place: Exclude<ReportTextEdit, null>; markdown: string };

const nameOf = (reportId: string) => `report ${reportId}`;

/** Unsaved text of a report in this tab. */
export function findUnsavedText(reportId: string): Left | null {
  const left = findDraft(nameOf(reportId));
  return left === null ? null : (JSON.parse(left) as Left);
}

/** Remember what is typed at a place. */
export const saveUnsavedText = (reportId: string, place: Left['place']) => (markdown: string) =>
  saveDraft(nameOf(reportId), JSON.stringify({ place, markdown } satisfies Left));

export const discardUnsavedText = (reportId: string) => saveDraft(nameOf(reportId), '');
