/** How the page of a profile leads to the rest of the product. */
import { useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import {
  profileSearchOf,
  type ProfilePageContext,
  type ProfilePageView,
} from '../../features/evidence/profiles';
import { CompareLink } from '../CompareLink';
import { Link } from '../Link';

export const profileLinks = (team: string): ProfilePageContext['links'] => ({
  compare: (base, candidate, words, primary) => (
    <CompareLink team={team} base={base} candidate={candidate} words={words} primary={primary} />
  ),
  artifact: (artifactId, words) => (
    <Link
      to="/t/$team/artifacts/$artifactId"
      params={{ team, artifactId }}
      search={{}}
      className="link"
    >
      {words}
    </Link>
  ),
  build: (buildId, words) => (
    <Link to="/t/$team/builds/$buildId" params={{ team, buildId }} className="link">
      {words}
    </Link>
  ),
});

/** The view of the page is its address. */
export function useProfileNavigation() {
  const navigate = useNavigate();
  return useCallback(
    (view: ProfilePageView, replace: boolean) => {
      void navigate({ to: '.', search: profileSearchOf(view), replace, resetScroll: false });
    },
    [navigate],
  );
}
