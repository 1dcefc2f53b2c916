/** *Add to report*, on every page that a report can hold. */
import { useQueryClient } from '@tanstack/react-query';
import { useMatches, useRouter } from '@tanstack/react-router';
import type { TeamMembership } from '../api';
import { boardSearchOf, boardViewOf, heldView, type BoardSearch } from '../features/board';
import { comparisonQuery } from '../features/comparisons';
import { AddToReport } from '../features/reports';
import { Link } from './Link';

/** Pages that answer a question; lists of files, jobs and settings do not. */
const PAGES: readonly string[] = [
  '/t/$team/board',
  '/t/$team/comparisons/$comparisonId',
  '/t/$team/regressions',
  '/t/$team/regressions/$regressionId',
  '/t/$team/builds/$buildId',
  '/t/$team/services/$serviceId',
  '/t/$team/traces/$artifactId',
  '/t/$team/spans/$artifactId',
  '/t/$team/spans/$artifactId/traces/$traceId',
  '/t/$team/map',
  '/t/$team/growth',
  '/t/$team/repositories/$repositoryId/commits/$sha',
];

type Params = { comparisonId?: string };

export function ReportAction({ team }: { team: TeamMembership }) {
  const client = useQueryClient();
  const router = useRouter();
  const place = useMatches({ select: (matches) => matches[matches.length - 1]?.routeId });
  if (place === undefined || !PAGES.includes(place) || team.role === 'viewer') return null;
  const hold = async () => {
    const search = router.state.location.search as BoardSearch;
    const held = boardSearchOf(heldView(client, boardViewOf(search)));
    await router.navigate({ to: '/t/$team/board', params: { team: team.slug }, search: held });
  };
  /** Parts of a comparison that wait behind their tabs. */
  const parts = (): string[] => {
    const { comparisonId = '' } = router.state.matches.at(-1)?.params as Params;
    const known = client.getQueryData(comparisonQuery(comparisonId).queryKey);
    return (known?.parts ?? [])
      .filter((part) => part !== 'profiles')
      .map((part) => `/comparisons/${comparisonId}/parts/${part}`);
  };
  return (
    <AddToReport
      key={place}
      hold={place === '/t/$team/board' ? hold : undefined}
      path={() => router.state.location.href.slice(`/t/${team.slug}`.length).replace(/#.*$/u, '')}
      also={place === '/t/$team/comparisons/$comparisonId' ? parts : undefined}
      reportLink={(reportId, words) => (
        <Link
          to="/t/$team/reports/$reportId"
          params={{ team: team.slug, reportId }}
          search={{}}
          className="link"
        >
          {words}
        </Link>
      )}
    />
  );
}
