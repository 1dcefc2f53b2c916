/** Links to the page on which a bisect is prepared and started. */
import { Button } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { bisectSearchOf, type BisectSubject } from '../features/verdicts/bisects';
import { Link } from './Link';

const teamRoute = getRouteApi('/t/$team');

export const bisectLink = (team: string) => (bisectId: string, words: ReactNode) => (
  <Link to="/t/$team/bisects/$bisectId" params={{ team, bisectId }} className="link">
    {words}
  </Link>
);

export function StartBisectAction({
  subject,
  primary,
}: {
  /** What the bisect is prefilled from; null if everything is chosen on the page. */
  subject: BisectSubject | null;
  primary?: boolean;
}) {
  const { team, frozen } = teamRoute.useRouteContext();
  if (frozen || team.role === 'viewer') return null;
  return (
    <Button
      variant={primary ? 'filled' : undefined}
      renderRoot={(props) => (
        <Link
          to="/t/$team/bisects/new"
          params={{ team: team.slug }}
          search={bisectSearchOf(subject)}
          {...props}
        />
      )}
    >
      Start bisect
    </Button>
  );
}
