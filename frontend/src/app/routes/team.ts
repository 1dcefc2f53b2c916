/** A team's pages. What a page shows is in its address. */
import { createRoute, lazyRouteComponent, notFound, redirect } from '@tanstack/react-router';
import * as z from 'zod/mini';
import { askAs, askedAs } from '../../api';
import { readActivitySearch } from '../../features/activity';
import {
  boardQuery,
  boardViewOf,
  metricSettingsQuery,
  readBoardSearch,
} from '../../features/board';
import { comparisonQuery, readView } from '../../features/comparisons';
import { readRegressionsSearch } from '../../features/regressions';
import { readReportSearch, readScrubSearch } from '../../features/reports';
import { readMapSearch, readSpansSearch, readWaterfallSearch } from '../../features/spans';
import { readTraceSearch } from '../../features/traces';
import { tray } from '../../features/uploads';
import { prefer } from '../../ui';
import { NotFoundPage } from '../RouteStates';
import { Shell } from '../Shell';
import type { FrozenReader } from '../frozen/page';
import { SETTINGS_TABS } from '../settings-tabs';
import { rootRoute, sessionOr } from './root';

const teamRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/t/$team',
  beforeLoad: async ({ context, params, location }): Promise<FrozenReader> => {
    if (context.frozen) return context.frozen;
    const session = await sessionOr(context.client, () => null);
    if (!session) throw redirect({ to: '/sign-in', search: { next: location.href } });
    const team = session.teams.find(({ slug }) => slug === params.team);
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- the router's own way of saying 404
    if (!team) throw notFound();
    if (askedAs() !== team.slug) {
      // Nothing read for one team may be shown to another.
      tray.reset();
      context.client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
      askAs(team.slug);
      prefer('team', team.slug);
    }
    return { session, team };
  },
  component: Shell,
  notFoundComponent: NotFoundPage,
});

/** The board once there is something on it; until then the list that files fill. */
const teamIndexRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/',
  beforeLoad: async ({ context, params }) => {
    const settings = await context.client
      .query({ ...metricSettingsQuery, retry: false })
      .catch(() => null);
    throw redirect({
      to: settings && settings.series > 0 ? '/t/$team/board' : '/t/$team/comparisons',
      params,
      search: {},
    });
  },
});

const text = z.catch(z.optional(z.string().check(z.maxLength(200))), undefined);
const stateOf = <const States extends readonly [string, ...string[]]>(states: States) =>
  z.catch(z.optional(z.enum(states)), undefined);

const boardRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/board',
  validateSearch: readBoardSearch,
  // What is opened beside the board, and how it is drawn, asks for nothing.
  loaderDeps: ({ search: { env, range, from, to, against, inst } }) => ({
    env,
    range,
    from,
    to,
    against,
    inst,
  }),
  // Asked for while the page's code is loaded; the page tells what goes wrong.
  loader: ({ context, deps }) => {
    context.client.query(boardQuery(boardViewOf(deps))).catch(() => undefined);
  },
  component: lazyRouteComponent(() => import('../pages/BoardPage'), 'BoardRoute'),
});

const comparisonsRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/comparisons',
  validateSearch: z.object({
    q: text,
    state: stateOf(['waiting', 'running', 'done', 'failed', 'cancelled']),
  }),
  component: lazyRouteComponent(() => import('../pages/ComparisonsPage'), 'ComparisonsPage'),
});

const comparisonRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/comparisons/$comparisonId',
  validateSearch: readView,
  // Asked for while the page's code is loaded; the page tells what goes wrong.
  loader: ({ context, params }) => {
    context.client.query(comparisonQuery(params.comparisonId)).catch(() => undefined);
  },
  component: lazyRouteComponent(() => import('../pages/ComparisonPage'), 'ComparisonRoute'),
});

const regressionsRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/regressions',
  validateSearch: readRegressionsSearch,
  component: lazyRouteComponent(() => import('../pages/RegressionsPages'), 'RegressionsPage'),
});

const regressionRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/regressions/$regressionId',
  component: lazyRouteComponent(() => import('../pages/RegressionsPages'), 'RegressionPage'),
});

const buildRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/builds/$buildId',
  component: lazyRouteComponent(() => import('../pages/RegressionsPages'), 'BuildPage'),
});

const filesRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/files',
  validateSearch: z.object({
    q: text,
    kind: text,
    state: stateOf(['received', 'decoding', 'decoded', 'refused', 'failed']),
  }),
  component: lazyRouteComponent(() => import('../pages/FilesPages'), 'FilesPage'),
});

const fileRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/files/$artifactId',
  component: lazyRouteComponent(() => import('../pages/FilesPages'), 'FilePage'),
});

const traceRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/traces/$artifactId',
  validateSearch: readTraceSearch,
  component: lazyRouteComponent(() => import('../pages/TracePage'), 'TraceRoute'),
});

const spanSetRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/spans/$artifactId',
  validateSearch: readSpansSearch,
  component: lazyRouteComponent(() => import('../pages/SpanPages'), 'SpanSetRoute'),
});

const waterfallRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/spans/$artifactId/traces/$traceId',
  validateSearch: readWaterfallSearch,
  component: lazyRouteComponent(() => import('../pages/SpanPages'), 'WaterfallRoute'),
});

const mapRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/map',
  validateSearch: readMapSearch,
  component: lazyRouteComponent(() => import('../pages/SpanPages'), 'MapRoute'),
});

const commitRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/repositories/$repositoryId/commits/$sha',
  component: lazyRouteComponent(() => import('../pages/CommitPages'), 'CommitRoute'),
});

const growthRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/growth',
  component: lazyRouteComponent(() => import('../pages/GrowthPage'), 'GrowthRoute'),
});

const reportsRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/reports',
  validateSearch: z.object({ q: text }),
  component: lazyRouteComponent(() => import('../pages/ReportPages'), 'ReportsRoute'),
});

const reportRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/reports/$reportId',
  validateSearch: readReportSearch,
  component: lazyRouteComponent(() => import('../pages/ReportPages'), 'ReportRoute'),
});

const previewRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/reports/$reportId/preview',
  validateSearch: readScrubSearch,
  component: lazyRouteComponent(() => import('../pages/ReportPages'), 'PreviewRoute'),
});

const bisectsRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/bisects',
  component: lazyRouteComponent(() => import('../pages/BisectPages'), 'BisectsPage'),
});

const bisectRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/bisects/$bisectId',
  component: lazyRouteComponent(() => import('../pages/BisectPages'), 'BisectPage'),
});

const servicesRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/services',
  component: lazyRouteComponent(() => import('../pages/ServicesPages'), 'ServicesPage'),
});

const serviceRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/services/$serviceId',
  component: lazyRouteComponent(() => import('../pages/ServicesPages'), 'ServicePage'),
});

const activityRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/activity',
  validateSearch: readActivitySearch,
  component: lazyRouteComponent(() => import('../pages/ActivityPage'), 'ActivityPage'),
});

const jobsRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/jobs',
  component: lazyRouteComponent(() => import('../pages/JobsPage'), 'JobsPage'),
});

const settingsRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/settings',
  validateSearch: z.object({
    tab: z.catch(z._default(z.enum(SETTINGS_TABS), 'members'), 'members'),
  }),
  component: lazyRouteComponent(() => import('../pages/SettingsPage'), 'SettingsPage'),
});

export const teamRoutes = teamRoute.addChildren([
  teamIndexRoute,
  boardRoute,
  comparisonsRoute,
  comparisonRoute,
  regressionsRoute,
  regressionRoute,
  buildRoute,
  filesRoute,
  fileRoute,
  traceRoute,
  spanSetRoute,
  waterfallRoute,
  mapRoute,
  commitRoute,
  growthRoute,
  bisectsRoute,
  bisectRoute,
  reportsRoute,
  reportRoute,
  previewRoute,
  servicesRoute,
  serviceRoute,
  activityRoute,
  jobsRoute,
  settingsRoute,
]);
