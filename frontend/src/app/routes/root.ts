/** What all addresses share: the root, and who is signed in. */
import type { QueryClient } from '@tanstack/react-query';
import { Outlet, createRootRouteWithContext } from '@tanstack/react-router';
import { Problem, type Session } from '../../api';
import { sessionQuery } from '../../features/accounts';
import { NotFoundPage } from '../RouteStates';
import type { FrozenReader } from '../frozen/page';

type Context = { client: QueryClient; frozen?: FrozenReader };

export const rootRoute = createRootRouteWithContext<Context>()({
  component: Outlet,
  notFoundComponent: NotFoundPage,
});

/** Who is signed in; what `otherwise` says when nobody is. */
export async function sessionOr<T>(client: QueryClient, otherwise: () => T): Promise<Session | T> {
  try {
    // Read once, and again only when something was done that changes it: a team made, left, renamed.
    return await client.query({ ...sessionQuery, staleTime: Infinity });
  } catch (error) {
    if (error instanceof Problem && error.status === 401) return otherwise();
    throw error;
  }
}
