import type { QueryClient } from '@tanstack/react-query';
import type { AnyRouter, RouterHistory } from '@tanstack/react-router';
import { createContext } from 'react';
import type { Session, TeamMembership } from '../../api';

/** Inside a report nobody is signed in: pages stand there for a reader who may change nothing. */
export type FrozenReader = { session: Session; team: TeamMembership };

/** The path of the page that stands frozen here; null on the living pages. */
export const FrozenPath = createContext<string | null>(null);

export type MakeRouter = (
  client: QueryClient,
  history: RouterHistory,
  frozen: FrozenReader,
) => AnyRouter;

/** How a frozen page gets a router of its own; given from above, because the routes lead here. */
export const RouterMaker = createContext<MakeRouter | null>(null);
