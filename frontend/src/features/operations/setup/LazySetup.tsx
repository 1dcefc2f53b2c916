/** The page that sets up a service, loaded when it is first shown. */
import { Suspense, lazy } from 'react';
import type { SetupPageProps } from './SetupPage';

const Page = lazy(() => import('./SetupPage'));

export function SetupPage(props: SetupPageProps) {
  return (
    <Suspense fallback={null}>
      <Page {...props} />
    </Suspense>
  );
}
