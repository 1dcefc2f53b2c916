/** All URLs of the product. Each page is loaded on demand; the URL contains what a page shows. */
import type { QueryClient } from '@tanstack/react-query';
import { createRouter, type RouterHistory } from '@tanstack/react-router';
import { RouteError, RoutePending } from './RouteStates';
import type { SnapshotReader } from './snapshots/snapshot-page';
import { authRoutes } from './routes/auth';
import { helpRoutes } from './routes/help';
import { rootRoute } from './routes/root';
import { teamRoutes } from './routes/team';

const routeTree = rootRoute.addChildren([...authRoutes, ...helpRoutes, teamRoutes]);

/**
 * @param history where URLs are stored; the browser's history if not given.
 * @param frozen the reader, when a page is shown inside a report.
 */
export function createAppRouter(
  client: QueryClient,
  history?: RouterHistory,
  frozen?: SnapshotReader,
) {
  return createRouter({
    routeTree,
    history,
    context: { client, frozen },
    defaultPreload: frozen ? false : 'intent',
    defaultPendingMs: 200,
    defaultPendingComponent: RoutePending,
    defaultErrorComponent: RouteError,
    scrollRestoration: !frozen,
  });
}

declare module '@tanstack/react-router' {
  // oxlint-disable-next-line @typescript-eslint/consistent-type-definitions -- only an interface can be merged
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
