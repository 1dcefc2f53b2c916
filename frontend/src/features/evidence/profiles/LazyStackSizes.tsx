/** The stack sizes of hot paths, loaded when they are first shown. */
import { Suspense, lazy } from 'react';
import type { HotPath } from '../../../api';
import { SkeletonRows } from '../../../ui';

const Paths = lazy(() => import('./HotPaths'));

export function HotPaths({ paths }: { paths: readonly HotPath[] }) {
  return (
    <Suspense fallback={<SkeletonRows rows={paths.length} label="Loading the chart" />}>
      <Paths paths={paths} />
    </Suspense>
  );
}
