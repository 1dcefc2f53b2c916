/** Links from the page of a profile to other pages. */
import { useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { SideSource } from '../../api';
import {
  profileSearchOf,
  type ProfilePageContext,
  type ProfilePageView,
  type ProfileSide,
} from '../../features/evidence/profiles';
import { CompareLink } from '../CompareLink';
import { Link } from '../Link';

const sourceOf = ({ artifactIds, labels }: ProfileSide): SideSource => ({
  type: 'artifacts',
  artifact_ids: artifactIds,
  labels,
});

export const profileLinks = (team: string): ProfilePageContext['links'] => ({
  compare: (base, candidate, words, primary) => (
    <CompareLink
      base={sourceOf(base)}
      candidate={candidate && sourceOf(candidate)}
      words={words}
      isPrimary={primary}
    />
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

/** Returns a function that writes the view of the page to its URL. */
export function useProfileNavigation() {
  const navigate = useNavigate();
  return useCallback(
    (view: ProfilePageView, replace: boolean) => {
      void navigate({ to: '.', search: profileSearchOf(view), replace, resetScroll: false });
    },
    [navigate],
  );
}
