/** Storage is read by few and seldom: it comes when it is looked at. */
import { Suspense, lazy } from 'react';
import { SkeletonRows } from '../../ui';
import type { StorageProps } from './Storage';

const Loaded = lazy(() => import('./Storage'));

export function Storage(props: StorageProps) {
  return (
    <Suspense fallback={<SkeletonRows rows={8} />}>
      <Loaded {...props} />
    </Suspense>
  );
}
