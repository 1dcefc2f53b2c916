/** The storage settings, loaded when they are shown, because few users open them. */
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
