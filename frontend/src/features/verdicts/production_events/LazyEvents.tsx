/** Loads the page of a production event when it is first shown. */
import { Suspense, lazy } from 'react';
import type { EventPageProps } from './EventPage';

const Page = lazy(() => import('./EventPage'));

export const EventPage = (props: EventPageProps) => (
  <Suspense fallback={null}>
    <Page {...props} />
  </Suspense>
);
