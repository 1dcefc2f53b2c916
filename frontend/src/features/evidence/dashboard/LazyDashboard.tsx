/** The dashboard with its charts, loaded when it is first shown. */
import { Suspense, lazy } from 'react';
import { PageHeader } from '../../../ui';
import type { DashboardPageProps } from './DashboardPage';
import type { MetricsSettingsProps } from './MetricsSettings';
import type { ServicePanelsProps } from './ServicePanels';
import { DashboardSkeleton } from './DashboardSkeleton';

const Page = lazy(() => import('./DashboardPage'));
const Panels = lazy(() => import('./ServicePanels'));
const Settings = lazy(() => import('./MetricsSettings'));

export function DashboardPage(props: DashboardPageProps) {
  return (
    <Suspense
      fallback={
        <>
          <PageHeader title="Dashboard" />
          <DashboardSkeleton />
        </>
      }
    >
      <Page {...props} />
    </Suspense>
  );
}

export function MetricsSettings(props: MetricsSettingsProps) {
  return (
    <Suspense fallback={null}>
      <Settings {...props} />
    </Suspense>
  );
}

export function ServicePanels(props: ServicePanelsProps) {
  return (
    <Suspense fallback={null}>
      <Panels {...props} />
    </Suspense>
  );
}
