/**
 * The line on the most suspicious commit; shown below the header of the page and beside the source
 * of a function.
 */
import { createContext, type ReactNode } from 'react';

export const SuspectContext = createContext<ReactNode>(null);
