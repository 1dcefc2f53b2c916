/** The line on the most suspicious commit, which the page shows below its header and beside the source of a function. */
import { createContext, type ReactNode } from 'react';

export const SuspectContext = createContext<ReactNode>(null);
