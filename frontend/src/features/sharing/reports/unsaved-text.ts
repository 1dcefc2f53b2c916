/** Text of a report that was not saved before the user left the page. */
import { findDraft, saveDraft } from '../../../ui';

/** The text that is edited: none, a new block at a position, or the block with an id. */
export type ReportTextEdit = null | { at: number } | { id: string };

type Left = { place: Exclude<ReportTextEdit, null>; markdown: string };

const nameOf = (reportId: string) => `report ${reportId}`;

/** Returns the unsaved text of a report in this tab. */
export function findUnsavedText(reportId: string): Left | null {
  const left = findDraft(nameOf(reportId));
  return left === null ? null : (JSON.parse(left) as Left);
}

/** Returns a function that stores the unsaved text of a place. */
export const saveUnsavedText = (reportId: string, place: Left['place']) => (markdown: string) =>
  saveDraft(nameOf(reportId), JSON.stringify({ place, markdown } satisfies Left));

export const discardUnsavedText = (reportId: string) => saveDraft(nameOf(reportId), '');
