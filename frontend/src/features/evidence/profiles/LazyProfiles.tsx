/** The page of a profile, loaded when it is first shown: other pages do not load its graph. */
import { Suspense, lazy } from 'react';
import { SkeletonRows } from '../../../ui';
import type { ArtifactProfileProps, ProfileSetPageProps } from './ProfileSetPage';
import classes from './profiles.module.css';

const Page = lazy(() => import('./ProfileSetPage'));
const OfArtifact = lazy(async () => ({
  default: (await import('./ProfileSetPage')).ArtifactProfile,
}));

const waiting = (
  <div className={classes.inset}>
    <SkeletonRows rows={16} label="Loading the page" />
  </div>
);

export function ProfileSetPage(props: ProfileSetPageProps) {
  return (
    <Suspense fallback={waiting}>
      <Page {...props} />
    </Suspense>
  );
}

export function ArtifactProfile(props: ArtifactProfileProps) {
  return (
    <Suspense fallback={waiting}>
      <OfArtifact {...props} />
    </Suspense>
  );
}
