/** The pages of a team. The URL contains what a page shows. */
import { createRoute, lazyRouteComponent, notFound, redirect } from '@tanstack/react-router';
import * as z from 'zod/mini';
import { setCurrentTeam, getCurrentTeam } from '../../api';
import { readActivitySearch } from '../../features/sharing/activity';
import {
  dashboardQuery,
  dashboardViewOf,
  readDashboardSearch,
} from '../../features/evidence/dashboard';
import { readBisectSearch, readBisectsSearch } from '../../features/verdicts/bisects';
import { readCompareSearch } from '../../features/verdicts/comparison_previews';
import {
  comparisonQuery,
  readComparisonsSearch,
  readView,
} from '../../features/verdicts/comparisons';
import { readBuildListSearch, readRegressionsSearch } from '../../features/verdicts/regressions';
import { readInboxSearch } from '../../features/sharing/inbox';
import { readReportSearch, readScrubSearch } from '../../features/sharing/reports';
import { readMapSearch, readSpansSearch, readWaterfallSearch } from '../../features/evidence/spans';
import { readTraceSearch } from '../../features/evidence/exec_traces';
import { readArtifactsSearch, tray } from '../../features/evidence/artifacts';
import { addressText, listSearch } from '../../lib/list-search';
import { profileSetQuery, readProfileSearch } from '../../features/evidence/profiles';
import { firstStepQuery, isEmptyTeam, type FirstStepId } from '../../features/operations/setup';
import { setPreference } from '../../ui';
import { NotFoundPage } from '../RouteStates';
import { Shell } from '../Shell';
import type { SnapshotReader } from '../snapshots/snapshot-page';
import { SETTINGS_TABS, type SettingsTab } from '../settings-tabs';
import { rootRoute, sessionOr } from './root';

const teamRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/t/$team',
  beforeLoad: async ({ context, params, location }): Promise<SnapshotReader> => {
    if (context.frozen) return context.frozen;
    const session = await sessionOr(context.client, () => null);
    if (!session) throw redirect({ to: '/sign-in', search: { next: location.href } });
    const team = session.teams.find(({ slug }) => slug === params.team);
    // oxlint-disable-next-line @typescript-eslint/only-throw-error -- the router's own way of saying 404
    if (!team) throw notFound();
    if (team.requires_second_factor && !session.is_multi_factor)
      throw redirect({ to: '/second-factor' });
    if (getCurrentTeam() !== team.slug) {
      // Data of one team must not be shown to another.
      context.client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
      setCurrentTeam(team.slug);
      tray.switchTeam(team.slug);
      setPreference('team', team.slug);
    }
    return { session, team };
  },
  component: Shell,
  notFoundComponent: NotFoundPage,
});

/**
 * Redirects to the dashboard if metrics were received, to the setup steps if the team has no data,
 * and otherwise to the comparisons.
 */
const teamIndexRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/',
  beforeLoad: async ({ context, params }) => {
    const read = async (id: FirstStepId) =>
      context.client.query({ ...firstStepQuery(id), retry: false }).catch(() => undefined);
    const [metrics, upload, build] = await Promise.all([
      read('metrics'),
      read('upload'),
      read('build'),
    ]);
    throw redirect({
      to: metrics
        ? '/t/$team/dashboard'
        : isEmptyTeam({ metrics, upload, build })
          ? '/t/$team/setup'
          : '/t/$team/comparisons',
      params,
      search: {},
    });
  },
});

const setupRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/setup',
  component: lazyRouteComponent(() => import('../pages/SetupRoute'), 'SetupRoute'),
});

const dashboardRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/dashboard',
  validateSearch: readDashboardSearch,
  // Parameters that only change what is opened beside the panels, or how they are drawn, send no
  // requests.
  loaderDeps: ({ search: { env, range, from, to, against, inst, split, by } }) => ({
    env,
    range,
    from,
    to,
    against,
    inst,
    split,
    by,
  }),
  // Sends the request while the code of the page is loaded; the page shows errors.
  loader: ({ context, deps }) => {
    context.client.query(dashboardQuery(dashboardViewOf(deps))).catch(() => undefined);
  },
  component: lazyRouteComponent(() => import('../pages/DashboardRoute'), 'DashboardRoute'),
});

const openRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/open',
  component: lazyRouteComponent(() => import('../pages/OpenRoute'), 'OpenRoute'),
});

const comparisonsRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/comparisons',
  validateSearch: readComparisonsSearch,
  component: lazyRouteComponent(() => import('../pages/ComparisonsRoute'), 'ComparisonsRoute'),
});

const comparisonRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/comparisons/$comparisonId',
  validateSearch: readView,
  // Sends the request while the code of the page is loaded; the page shows errors.
  loader: ({ context, params }) => {
    context.client.query(comparisonQuery(params.comparisonId)).catch(() => undefined);
  },
  component: lazyRouteComponent(() => import('../pages/ComparisonRoute'), 'ComparisonRoute'),
});

const compareRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/compare',
  validateSearch: readCompareSearch,
  component: lazyRouteComponent(() => import('../pages/CompareRoute'), 'CompareRoute'),
});

const inboxRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/inbox',
  validateSearch: readInboxSearch,
  component: lazyRouteComponent(() => import('../pages/InboxRoute'), 'InboxRoute'),
});

const eventRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/events/$eventId',
  component: lazyRouteComponent(() => import('../pages/EventRoute'), 'EventRoute'),
});

const regressionsRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/regressions',
  validateSearch: readRegressionsSearch,
  component: lazyRouteComponent(() => import('../pages/RegressionRoutes'), 'RegressionsRoute'),
});

const regressionRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/regressions/$regressionId',
  component: lazyRouteComponent(() => import('../pages/RegressionRoutes'), 'RegressionRoute'),
});

const buildsRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/builds',
  validateSearch: readBuildListSearch,
  component: lazyRouteComponent(() => import('../pages/BuildListRoute'), 'BuildListRoute'),
});

const buildRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/builds/$buildId',
  component: lazyRouteComponent(() => import('../pages/RegressionRoutes'), 'BuildRoute'),
});

const filesRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/artifacts',
  validateSearch: readArtifactsSearch,
  component: lazyRouteComponent(() => import('../pages/ArtifactRoutes'), 'ArtifactsRoute'),
});

const fileRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/artifacts/$artifactId',
  validateSearch: readProfileSearch,
  component: lazyRouteComponent(() => import('../pages/ArtifactRoutes'), 'ArtifactRoute'),
});

const profileSetRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/profile-sets/$setId',
  validateSearch: readProfileSearch,
  // Sends the request while the code of the page is loaded; the page shows errors.
  loader: ({ context, params }) => {
    context.client.query(profileSetQuery(params.setId)).catch(() => undefined);
  },
  component: lazyRouteComponent(() => import('../pages/ProfileSetRoute'), 'ProfileSetRoute'),
});

const traceRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/execution-traces/$artifactId',
  validateSearch: readTraceSearch,
  component: lazyRouteComponent(() => import('../pages/TraceRoute'), 'TraceRoute'),
});

const spanSetRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/span-sets/$artifactId',
  validateSearch: readSpansSearch,
  component: lazyRouteComponent(() => import('../pages/SpanRoutes'), 'SpanSetRoute'),
});

const waterfallRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/span-sets/$artifactId/traces/$traceId',
  validateSearch: readWaterfallSearch,
  component: lazyRouteComponent(() => import('../pages/SpanRoutes'), 'WaterfallRoute'),
});

const mapRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/service-map',
  validateSearch: readMapSearch,
  component: lazyRouteComponent(() => import('../pages/SpanRoutes'), 'ServiceMapRoute'),
});

const commitRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/repositories/$repositoryId/commits/$sha',
  component: lazyRouteComponent(() => import('../pages/CommitRoutes'), 'CommitRoute'),
});

const growthRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/stack-growth',
  component: lazyRouteComponent(() => import('../pages/GrowthRoute'), 'GrowthRoute'),
});

const reportsRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/reports',
  validateSearch: z.object(listSearch),
  component: lazyRouteComponent(() => import('../pages/ReportRoutes'), 'ReportsRoute'),
});

const reportRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/reports/$reportId',
  validateSearch: readReportSearch,
  component: lazyRouteComponent(() => import('../pages/ReportRoutes'), 'ReportRoute'),
});

const previewRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/reports/$reportId/preview',
  validateSearch: readScrubSearch,
  component: lazyRouteComponent(() => import('../pages/ReportRoutes'), 'ReportPreviewRoute'),
});

const bisectsRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/bisects',
  validateSearch: readBisectsSearch,
  component: lazyRouteComponent(() => import('../pages/BisectRoutes'), 'BisectsRoute'),
});

const newBisectRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/bisects/new',
  validateSearch: readBisectSearch,
  component: lazyRouteComponent(() => import('../pages/BisectRoutes'), 'NewBisectRoute'),
});

const bisectRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/bisects/$bisectId',
  component: lazyRouteComponent(() => import('../pages/BisectRoutes'), 'BisectRoute'),
});

const commitComparisonRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/commit-comparisons/$bisectId',
  component: lazyRouteComponent(() => import('../pages/BisectRoutes'), 'CommitComparisonRoute'),
});

const servicesRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/services',
  validateSearch: z.object(listSearch),
  component: lazyRouteComponent(() => import('../pages/ServiceRoutes'), 'ServicesRoute'),
});

const deploymentsRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/deployments',
  validateSearch: z.object({ ...listSearch, service: addressText, environment: addressText }),
  component: lazyRouteComponent(() => import('../pages/DeploymentsRoute'), 'DeploymentsRoute'),
});

const serviceRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/services/$serviceId',
  component: lazyRouteComponent(() => import('../pages/ServiceRoutes'), 'ServiceRoute'),
});

const activityRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/activity',
  validateSearch: readActivitySearch,
  component: lazyRouteComponent(() => import('../pages/ActivityRoute'), 'ActivityRoute'),
});

const jobsRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/jobs',
  component: lazyRouteComponent(() => import('../pages/JobsRoute'), 'JobsRoute'),
});

const settingsTab = z.catch(z.enum(SETTINGS_TABS), 'members');

const settingsRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: '/settings',
  // The lists in the settings read other parameters of the same URL, as `members-q`.
  validateSearch: (search): { tab: SettingsTab; scope?: string } => ({
    ...search,
    tab: settingsTab.parse(search.tab),
    scope: typeof search.scope === 'string' ? search.scope : undefined,
  }),
  component: lazyRouteComponent(() => import('../pages/SettingsRoute'), 'SettingsRoute'),
});

export const teamRoutes = teamRoute.addChildren([
  teamIndexRoute,
  setupRoute,
  dashboardRoute,
  openRoute,
  comparisonsRoute,
  comparisonRoute,
  compareRoute,
  inboxRoute,
  eventRoute,
  regressionsRoute,
  regressionRoute,
  buildsRoute,
  buildRoute,
  filesRoute,
  fileRoute,
  profileSetRoute,
  traceRoute,
  spanSetRoute,
  waterfallRoute,
  mapRoute,
  commitRoute,
  growthRoute,
  bisectsRoute,
  newBisectRoute,
  bisectRoute,
  commitComparisonRoute,
  reportsRoute,
  reportRoute,
  previewRoute,
  servicesRoute,
  deploymentsRoute,
  serviceRoute,
  activityRoute,
  jobsRoute,
  settingsRoute,
]);
