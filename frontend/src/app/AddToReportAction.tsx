/** *Add to report*, on every page that a report can hold, and on the parts of a page that can stand alone. */
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

/** Pages that answer a question, and lists of their subjects; those of files, jobs and settings do not. */
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

/** The set that the page shows: its own, or that of its artifact once it is opened. */
function useProfileSetId(place: string | undefined): string | null {
  const { artifactId, setId } = useMatches({
    select: (matches) => (matches.at(-1)?.params ?? {}) as Params,
  });
  const ofArtifact = useQuery({ ...setOfArtifactsQuery([artifactId ?? '']), enabled: false });
  if (place === PROFILE_SET) return setId ?? null;
  return place === ARTIFACT ? (ofArtifact.data?.id ?? null) : null;
}

/** How the current page is snapshotted, its address, and what can be opened in it. */
function usePlace(team: TeamMembership, place: string | undefined) {
  const client = useQueryClient();
  const router = useRouter();
  const to = { team: team.slug };
  const pathOf = (href: string): string =>
    href.slice(`/t/${team.slug}`.length).replace(/#.*$/u, '');
  /** A board of now becomes one of then, with all its rows. */
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
    /** The board as it is held, with one service alone. */
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

/** The comparison with one finding unfolded in its place. */
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

/** One service of the board, alone and large. */
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
