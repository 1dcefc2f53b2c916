/**
 * Provides whether a page is a snapshot inside a report. A snapshot shows recorded responses, and
 * no actions that would change data.
 */
import { createContext, useContext, type ReactNode } from 'react';

const SnapshotState = createContext<Date | null>(null);

/** Provides the reference time of a snapshot to its page. */
export const SnapshotContext = SnapshotState.Provider;

export const useIsSnapshot = (): boolean => useContext(SnapshotState) !== null;

/** Returns the time that a page counts back from: now, or the time at which a snapshot was made. */
// oxlint-disable-next-line react-hooks/purity -- each rendering looks back from its own moment, unless one is frozen
export const useReferenceTime = (): Date => useContext(SnapshotState) ?? new Date();

/** Hides actions and links in a snapshot. */
export function HiddenInSnapshot({ children }: { children: ReactNode }) {
  return useIsSnapshot() ? null : children;
}

/** Ids of the parts of a report by the path of their page below its team, for links to them. */
export const ReportParts = createContext<ReadonlyMap<string, string>>(new Map());

const PageActions = createContext<HTMLElement | null>(null);

/**
 * The element with the actions of every page, provided by the layout. It moves into the header of
 * each page, so that a menu which was opened while a page loads stays open, although the loaded
 * page has another header.
 */
export const PageActionSlot = PageActions.Provider;

export const usePageActions = (): HTMLElement | null => useContext(PageActions);
