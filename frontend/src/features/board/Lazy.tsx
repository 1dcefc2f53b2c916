/** The board's page with its charts, loaded when it is first shown. */
import { Suspense, lazy } from 'react';
import { PageHead } from '../../ui';
import type { BoardPageProps } from './BoardPage';
import type { MetricsSettingsProps } from './MetricsSettings';
import { BoardSkeleton } from './Skeleton';

const Page = lazy(() => import('./BoardPage'));
const Settings = lazy(() => import('./MetricsSettings'));

export function BoardPage(props: BoardPageProps) {
  return (
    <Suspense
      fallback={
        <>
          <PageHead title="Board" />
          <BoardSkeleton />
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
