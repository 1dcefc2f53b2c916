/** Whether a page stands frozen inside a report: then it shows what was recorded, and offers nothing that would change. */
import { createContext, useContext, type ReactNode } from 'react';

const Frozen = createContext<Date | null>(null);

/** Around a page that stands as it was at a moment. */
export const FrozenPlace = Frozen.Provider;

export const useFrozen = (): boolean => useContext(Frozen) !== null;

/** The moment from which a page looks back: on a frozen one the moment at which it was frozen. */
export const useMoment = (): Date => useContext(Frozen) ?? new Date();

/** Actions and ways to elsewhere: only on the living page. */
export function LiveOnly({ children }: { children: ReactNode }) {
  return useFrozen() ? null : children;
}

/** The parts of a report by the address of the page they show, below its team: what leads to one leads there. */
export const ReportParts = createContext<ReadonlyMap<string, string>>(new Map());

const PageAction = createContext<ReactNode>(null);

/** What every page has among its actions, given by whatever stands around the pages. */
export const PageActionPlace = PageAction.Provider;

export const usePageAction = (): ReactNode => useContext(PageAction);
