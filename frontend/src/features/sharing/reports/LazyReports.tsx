/** Parts of this feature on other pages, loaded when they are first shown. */
import { Suspense, lazy } from 'react';
import type { AddToReportProps } from './AddToReport';
import type { SharingSwitchProps } from './SharingSwitch';

const Add = lazy(() => import('./AddToReport'));
const Switch = lazy(() => import('./SharingSwitch'));

export function AddToReport(props: AddToReportProps) {
  return (
    <Suspense fallback={null}>
      <Add {...props} />
    </Suspense>
  );
}

export function SharingSwitch(props: SharingSwitchProps) {
  return (
    <Suspense fallback={null}>
      <Switch {...props} />
    </Suspense>
  );
}
