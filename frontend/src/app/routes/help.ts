/** The user guide, for signed-in and signed-out readers. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from './root';

const helpRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/help',
  component: lazyRouteComponent(() => import('../pages/HelpRoutes'), 'HelpFrame'),
});

const helpStartRoute = createRoute({
  getParentRoute: () => helpRoute,
  path: '/',
  component: lazyRouteComponent(() => import('../pages/HelpRoutes'), 'HelpStartRoute'),
});

const helpPageRoute = createRoute({
  getParentRoute: () => helpRoute,
  path: '/$page',
  component: lazyRouteComponent(() => import('../pages/HelpRoutes'), 'HelpPageRoute'),
});

export const helpRoutes = [helpRoute.addChildren([helpStartRoute, helpPageRoute])] as const;
