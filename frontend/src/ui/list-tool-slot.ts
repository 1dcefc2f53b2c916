/** The element that contains the tools of a list: beside its filters, so that they need no row. */
import { createContext, useContext } from 'react';

type ListToolSlot = {
  /** Null if the page has no filters: then the tools are above the table. */
  element: HTMLElement | null;
  setElement: (element: HTMLElement | null) => void;
};

export const ListToolSlotContext = createContext<ListToolSlot | null>(null);

export const useListToolSlot = (): ListToolSlot | null => useContext(ListToolSlotContext);
