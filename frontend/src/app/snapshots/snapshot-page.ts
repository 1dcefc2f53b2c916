import type { QueryClient } from '@tanstack/react-query';
import type { AnyRouter, RouterHistory } from '@tanstack/react-router';
import { createContext } from 'react';
import type { Session, TeamMembership } from '../../api';

/** The reader of a page inside a report. Such a page has no session and is read-only. */
export type SnapshotReader = { session: Session; team: TeamMembership };

/** The path of the page that the snapshot is of; null for pages outside of reports. */
export const SnapshotPathContext = createContext<string | null>(null);

export type MakeRouter = (
  client: QueryClient,
  history: RouterHistory,
  frozen: SnapshotReader,
) => AnyRouter;

/**
 * Creates a separate router for a page inside a report. It is given by context because an import of
 * the routes would be circular.
 */
export const RouterMaker = createContext<MakeRouter | null>(null);
