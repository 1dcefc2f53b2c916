/** Links to the page on which the sides of a comparison are chosen. */
import { Button } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { SideSource } from '../api';
import { searchOfSources } from '../features/verdicts/comparison_previews';
import { Link } from './Link';

const teamRoute = getRouteApi('/t/$team');

type CompareProps = {
  base?: SideSource | null;
  candidate?: SideSource | null;
  /** The service whose sources are offered for a side that is not chosen yet. */
  service?: string;
  words: string;
  isPrimary?: boolean;
};

export function CompareLink({ base, candidate, service, words, isPrimary }: CompareProps) {
  const { team } = teamRoute.useRouteContext();
  return (
    <Button
      variant={isPrimary ? 'filled' : undefined}
      renderRoot={(props) => (
        <Link
          to="/t/$team/compare"
          params={{ team: team.slug }}
          search={searchOfSources({ base, candidate, service })}
          {...props}
        />
      )}
    >
      {words}
    </Button>
  );
}
