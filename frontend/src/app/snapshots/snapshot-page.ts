import type { QueryClient } from '@tanstack/react-query';
import type { AnyRouter, RouterHistory } from '@tanstack/react-router';
import { createContext } from 'react';
import type { Session, TeamMembership } from '../../api';

/** Inside a report there is no session: pages are read-only. */
export type SnapshotReader = { session: Session; team: TeamMembership };

/** The path of the page in this snapshot; null on the living pages. */
export const SnapshotPathContext = createContext<string | null>(null);

export type MakeRouter = (
  client: QueryClient,
  history: RouterHistory,
  frozen: SnapshotReader,
) => AnyRouter;

/** How a snapshot page gets a separate router; given from above, because the routes lead here. */
export const RouterMaker = createContext<MakeRouter | null>(null);
