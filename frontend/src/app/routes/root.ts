/** The root route, and the session that all other routes need. */
import type { QueryClient } from '@tanstack/react-query';
import { setTimeZone } from '../../lib/times';
import { Outlet, createRootRouteWithContext, redirect } from '@tanstack/react-router';
import { Problem, type Session } from '../../api';
import { sessionQuery } from '../../features/platform/accounts';
import { NotFoundPage } from '../RouteStates';
import type { SnapshotReader } from '../snapshots/snapshot-page';
import { presentAddress } from './former-addresses';

type Context = { client: QueryClient; frozen?: SnapshotReader };

export const rootRoute = createRootRouteWithContext<Context>()({
  beforeLoad: ({ location }) => {
    const href = presentAddress(location.href);
    if (href !== location.href) throw redirect({ href, replace: true });
  },
  component: Outlet,
  notFoundComponent: NotFoundPage,
});

/**
 * Returns the session of the signed-in user, or what `otherwise` returns when no user is signed in.
 */
export async function sessionOr<T>(client: QueryClient, otherwise: () => T): Promise<Session | T> {
  try {
    // Read once, and again only after a change of the session: a team created, left or renamed.
    const session = await client.query({ ...sessionQuery, staleTime: Infinity });
    setTimeZone(session.user.time_zone);
    return session;
  } catch (error) {
    if (error instanceof Problem && error.status === 401) return otherwise();
    throw error;
  }
}
