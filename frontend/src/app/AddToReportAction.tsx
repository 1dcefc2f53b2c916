/**
 * *Add to report*: the action of each page that a report can contain, and of single findings and
 * services.
 */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMatches, useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { TeamMembership } from '../api';
import {
  dashboardSearchOf,
  dashboardViewOf,
  snapshotView,
  readAllRows,
  type DashboardSearch,
} from '../features/evidence/dashboard';
import {
  comparisonSnapshotRequests,
  searchOf,
  type ComparisonView,
} from '../features/verdicts/comparisons';
import {
  profileSnapshotRequests,
  setOfArtifactsQuery,
  type ProfileSearch,
} from '../features/evidence/profiles';
import { AddToReport } from '../features/sharing/reports';
import { Link } from './Link';

/** Pages that can be added to reports. Pages of artifacts, jobs and settings cannot. */
const PAGES: readonly string[] = [
  '/t/$team/dashboard',
  '/t/$team/deployments',
  '/t/$team/events/$eventId',
  '/t/$team/inbox',
  '/t/$team/comparisons',
  '/t/$team/comparisons/$comparisonId',
  '/t/$team/regressions',
  '/t/$team/regressions/$regressionId',
  '/t/$team/builds',
  '/t/$team/builds/$buildId',
  '/t/$team/bisects',
  '/t/$team/bisects/$bisectId',
  '/t/$team/services',
  '/t/$team/services/$serviceId',
  '/t/$team/execution-traces/$artifactId',
  '/t/$team/span-sets/$artifactId',
  '/t/$team/span-sets/$artifactId/traces/$traceId',
  '/t/$team/service-map',
  '/t/$team/stack-growth',
  '/t/$team/repositories/$repositoryId/commits/$sha',
  '/t/$team/profile-sets/$setId',
];

const DASHBOARD = '/t/$team/dashboard';
const COMPARISON = '/t/$team/comparisons/$comparisonId';
const PROFILE_SET = '/t/$team/profile-sets/$setId';
const ARTIFACT = '/t/$team/artifacts/$artifactId';

type Params = { comparisonId?: string; artifactId?: string; setId?: string };

/**
 * Returns the id of the profile set that the page shows: from the URL, or of the page's artifact
 * once its set is loaded.
 */
function useProfileSetId(place: string | undefined): string | null {
  const { artifactId, setId } = useMatches({
    select: (matches) => (matches.at(-1)?.params ?? {}) as Params,
  });
  const ofArtifact = useQuery({ ...setOfArtifactsQuery([artifactId ?? '']), enabled: false });
  if (place === PROFILE_SET) return setId ?? null;
  return place === ARTIFACT ? (ofArtifact.data?.id ?? null) : null;
}

/**
 * Returns how to take a snapshot of the current page, the URLs of it and its parts, and links to
 * reports.
 */
function usePlace(team: TeamMembership, place: string | undefined) {
  const client = useQueryClient();
  const router = useRouter();
  const to = { team: team.slug };
  const pathOf = (href: string): string =>
    href.slice(`/t/${team.slug}`.length).replace(/#.*$/u, '');
  /**
   * Fixes the time range of the dashboard, so that the snapshot does not change later, and loads
   * all rows.
   */
  const hold = async () => {
    const held = snapshotView(
      client,
      dashboardViewOf(router.state.location.search as DashboardSearch),
    );
    await router.navigate({ to: DASHBOARD, params: to, search: dashboardSearchOf(held) });
    await readAllRows(client, held);
  };
  const setId = useProfileSetId(place);
  const pathOfSet = (id: string) => {
    const search = router.state.location.search as ProfileSearch;
    const params = { ...to, setId: id };
    return pathOf(router.buildLocation({ to: PROFILE_SET, params, search }).href);
  };
  const comparisonId = (): string =>
    (router.state.matches.at(-1)?.params as Params | undefined)?.comparisonId ?? '';
  return {
    hold: place === DASHBOARD ? hold : undefined,
    setId,
    path: () => (setId === null ? pathOf(router.state.location.href) : pathOfSet(setId)),
    /** Returns the URL of the dashboard with the panels of one service only. */
    pathOfPanel: (alone: string) => {
      const search = router.state.location.search as DashboardSearch;
      return pathOf(
        router.buildLocation({ to: DASHBOARD, params: to, search: { ...search, alone } }).href,
      );
    },
    pathOfComparison: (view: ComparisonView) => {
      const params = { ...to, comparisonId: comparisonId() };
      return pathOf(router.buildLocation({ to: COMPARISON, params, search: searchOf(view) }).href);
    },
    also:
      place === COMPARISON
        ? () => comparisonSnapshotRequests(client, comparisonId())
        : setId !== null
          ? () => Promise.resolve(profileSnapshotRequests(client, setId))
          : undefined,
    reportLink: (reportId: string, words: ReactNode) => (
      <Link
        to="/t/$team/reports/$reportId"
        params={{ ...to, reportId }}
        search={{}}
        className="link"
      >
        {words}
      </Link>
    ),
  };
}

export function AddToReportAction({ team }: { team: TeamMembership }) {
  const place = useMatches({ select: (matches) => matches[matches.length - 1]?.routeId });
  const { hold, path, also, setId, reportLink } = usePlace(team, place);
  const isPage = setId !== null || (place !== undefined && PAGES.includes(place));
  if (!isPage || team.role === 'viewer') return null;
  return <AddToReport key={place} hold={hold} path={path} also={also} reportLink={reportLink} />;
}

const partButton = (label: string) => (open: () => void) => (
  <button type="button" className="link" aria-label={label} onClick={open}>
    Add to report
  </button>
);

type FindingProps = { team: TeamMembership; title: string; view: ComparisonView };

/** Adds a comparison with one finding opened to a report. */
export function FindingToReport({ team, title, view }: FindingProps) {
  const { also, pathOfComparison, reportLink } = usePlace(team, COMPARISON);
  return (
    <AddToReport
      path={() => pathOfComparison(view)}
      also={also}
      reportLink={reportLink}
      part={{ title, button: partButton('Add this finding to a report') }}
    />
  );
}

type PanelProps = { team: TeamMembership; service: { id: string; name: string } };

/** Adds the panels of one service of the dashboard to a report. */
export function PanelToReport({ team, service }: PanelProps) {
  const { hold, pathOfPanel, reportLink } = usePlace(team, DASHBOARD);
  return (
    <AddToReport
      hold={hold}
      path={() => pathOfPanel(service.id)}
      reportLink={reportLink}
      part={{ title: service.name, button: partButton(`Add ${service.name} to a report`) }}
    />
  );
}
