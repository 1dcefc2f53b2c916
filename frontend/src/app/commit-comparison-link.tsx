/** Links to the page of a commit comparison. */
import type { ReactNode } from 'react';
import { Link } from './Link';

export const commitComparisonLink = (team: string) => (bisectId: string, words: ReactNode) => (
  <Link to="/t/$team/commit-comparisons/$bisectId" params={{ team, bisectId }} className="link">
    {words}
  </Link>
);
