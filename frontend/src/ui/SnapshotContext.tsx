/**
 * Whether a page is a snapshot inside a report: then it shows what was recorded, and offers nothing that would
 * change.
 */
import { createContext, useContext, type ReactNode } from 'react';

const SnapshotState = createContext<Date | null>(null);

/** Around a snapshot page with its reference time. */
export const SnapshotContext = SnapshotState.Provider;

export const useIsSnapshot = (): boolean => useContext(SnapshotState) !== null;

/** The moment from which a page looks back: on a frozen one the moment at which it was frozen. */
// oxlint-disable-next-line react-hooks/purity -- each rendering looks back from its own moment, unless one is frozen
export const useReferenceTime = (): Date => useContext(SnapshotState) ?? new Date();

/** Actions and ways to elsewhere: only on the living page. */
export function HiddenInSnapshot({ children }: { children: ReactNode }) {
  return useIsSnapshot() ? null : children;
}

/** The parts of a report by the address of the page they show, below its team: what leads to one leads there. */
export const ReportParts = createContext<ReadonlyMap<string, string>>(new Map());

const PageActions = createContext<HTMLElement | null>(null);

/**
 * The element with the actions of every page, provided by the frame around the pages. It moves from head to head, so
 * that a menu which was opened while the page loads stays open: the head of the loaded page is another component.
 */
export const PageActionSlot = PageActions.Provider;

export const usePageActions = (): HTMLElement | null => useContext(PageActions);
