/** Storage is read by few and seldom: it is loaded when shown. */
import { Suspense, lazy } from 'react';
import { SkeletonRows } from '../../../ui';
import type { StorageSettingsProps } from './StorageSettings';

const Loaded = lazy(() => import('./StorageSettings'));

export function StorageSettings(props: StorageSettingsProps) {
  return (
    <Suspense fallback={<SkeletonRows rows={8} />}>
      <Loaded {...props} />
    </Suspense>
  );
}
