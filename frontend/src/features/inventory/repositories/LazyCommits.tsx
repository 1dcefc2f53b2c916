/** Parts of this feature, loaded when they are first shown. */
import { Suspense, lazy } from 'react';
import type { CommitPageProps } from './CommitPage';
import type { CommitsBetweenProps } from './CommitsBetween';
import type { RepositoriesProps } from './Repositories';
import type { SuspectCommitProps } from './SuspectCommit';

const LazyRepositories = lazy(() => import('./Repositories'));
const LazyBetween = lazy(() => import('./CommitsBetween'));
const LazySuspect = lazy(() => import('./SuspectCommit'));
const LazyCommit = lazy(() => import('./CommitPage'));

export function Repositories(props: RepositoriesProps) {
  return (
    <Suspense fallback={null}>
      <LazyRepositories {...props} />
    </Suspense>
  );
}

export function CommitsBetween(props: CommitsBetweenProps) {
  return (
    <Suspense fallback={null}>
      <LazyBetween {...props} />
    </Suspense>
  );
}

export function SuspectCommit(props: SuspectCommitProps) {
  return (
    <Suspense fallback={null}>
      <LazySuspect {...props} />
    </Suspense>
  );
}

export function CommitPage(props: CommitPageProps) {
  return (
    <Suspense fallback={null}>
      <LazyCommit {...props} />
    </Suspense>
  );
}
