import type { ReactNode } from 'react';
import { Link } from './Link';

export const buildLink = (team: string) => (buildId: string, words: ReactNode) => (
  <Link to="/t/$team/builds/$buildId" params={{ team, buildId }} className="link">
    {words}
  </Link>
);
