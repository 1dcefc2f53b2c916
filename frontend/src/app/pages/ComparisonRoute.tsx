import { Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import {
  ComparisonPage,
  comparisonQuery,
  searchOf,
  viewOf,
  type ComparisonView,
} from '../../features/verdicts/comparisons';
import { sourceOfSide } from '../../features/verdicts/comparison_previews';
import { CommentCount, findingPart, useCounts } from '../../features/sharing/discussions';
import { Link } from '../Link';
import { FindingToReport } from '../AddToReportAction';
import { CompareLink } from '../CompareLink';
import { StartBisectAction } from '../StartBisectAction';
import { ComparisonSuspect } from '../ComparisonSuspect';
import { PageDiscussion, useDiscussionDrawer } from '../PageDiscussion';
import { useOpenSides } from '../OpenSides';

const route = getRouteApi('/t/$team/comparisons/$comparisonId');
const teamRoute = getRouteApi('/t/$team');

export function ComparisonRoute() {
  const { comparisonId } = route.useParams();
  const search = route.useSearch();
  const { team, frozen } = teamRoute.useRouteContext();
  const navigate = useNavigate();
  const view = useMemo(() => viewOf(search), [search]);
  const onView = useCallback(
    (next: ComparisonView, replace: boolean) => {
      void navigate({
        to: '/t/$team/comparisons/$comparisonId',
        params: { team: team.slug, comparisonId },
        search: searchOf(next),
        replace,
        resetScroll: false,
      });
    },
    [navigate, team.slug, comparisonId],
  );
  const { drawer, ...actions } = useActions(comparisonId, !view.unfolded);
  const counts = useCounts('finding', frozen ? null : comparisonId);
  return (
    <>
      <ComparisonPage
        key={comparisonId}
        id={comparisonId}
        view={view}
        onView={onView}
        onGone={() =>
          void navigate({ to: '/t/$team/comparisons', params: { team: team.slug }, search: {} })
        }
        mayWrite={team.role !== 'viewer'}
        links={{
          onOpen: (id, to) =>
            void navigate({
              to: '/t/$team/comparisons/$comparisonId',
              params: { team: team.slug, comparisonId: id },
              search: to ? searchOf(to) : {},
            }),
          file: (id, words) => (
            <Link
              to="/t/$team/artifacts/$artifactId"
              params={{ team: team.slug, artifactId: id }}
              className="link"
            >
              {words}
            </Link>
          ),
          distributedTrace: (id, traceId, words) => (
            <Link
              to="/t/$team/span-sets/$artifactId/traces/$traceId"
              params={{ team: team.slug, artifactId: id, traceId }}
              search={{}}
              className="link"
            >
              {words}
            </Link>
          ),
        }}
        extensions={{
          ...actions,
          suspect: (
            <ComparisonSuspect
              team={team.slug}
              comparisonId={comparisonId}
              mayAssign={!frozen && team.role !== 'viewer'}
            />
          ),
          findingAction:
            frozen || team.role === 'viewer'
              ? undefined
              : (finding, place) => (
                  <FindingToReport team={team} title={finding.sentence} view={place} />
                ),
          discussion: frozen
            ? undefined
            : {
                about: (finding) => (
                  <PageDiscussion
                    bare
                    subject={{ kind: 'finding', id: comparisonId, part: findingPart(finding) }}
                  />
                ),
                count: (finding) => <CommentCount count={counts.get(findingPart(finding)) ?? 0} />,
              },
        }}
      />
      {drawer}
    </>
  );
}

/** Returns the actions for the comparison that need other features. */
function useActions(comparisonId: string, aimed: boolean) {
  const { team } = teamRoute.useRouteContext();
  const { data: comparison } = useQuery(comparisonQuery(comparisonId));
  const discussion = useDiscussionDrawer({ kind: 'comparison', id: comparisonId }, aimed);
  const opening = useOpenSides(team.slug, comparisonId);
  return {
    drawer: discussion.drawer,
    changeSides: comparison && (
      <CompareLink
        base={sourceOfSide(comparison.base)}
        candidate={sourceOfSide(comparison.candidate)}
        words="Change sides"
      />
    ),
    action: (
      <>
        {opening.problem}
        <StartBisectAction subject={{ comparison_id: comparisonId }} />
      </>
    ),
    menuItems: (
      <>
        {discussion.item}
        {opening.items}
        <Menu.Divider />
      </>
    ),
  };
}
