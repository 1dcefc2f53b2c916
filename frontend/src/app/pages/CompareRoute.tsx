import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import {
  ComparePage,
  choiceOf,
  compareSearchOf,
} from '../../features/verdicts/comparison_previews';

const route = getRouteApi('/t/$team/compare');
const teamRoute = getRouteApi('/t/$team');

export function CompareRoute() {
  const search = route.useSearch();
  const { team } = teamRoute.useRouteContext();
  const navigate = useNavigate();
  const choice = useMemo(() => choiceOf(search), [search]);
  const onChoice = useCallback(
    (next: typeof choice, replace: boolean) =>
      void navigate({
        to: '/t/$team/compare',
        params: { team: team.slug },
        search: compareSearchOf(next),
        replace,
        resetScroll: false,
      }),
    [navigate, team.slug],
  );
  return (
    <ComparePage
      choice={choice}
      onChoice={onChoice}
      onStarted={(comparisonId) =>
        void navigate({
          to: '/t/$team/comparisons/$comparisonId',
          params: { team: team.slug, comparisonId },
          search: {},
        })
      }
      mayWrite={team.role !== 'viewer'}
    />
  );
}
