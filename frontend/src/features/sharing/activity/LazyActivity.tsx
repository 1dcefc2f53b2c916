/** The activity feed, loaded when it is first shown. */
import { Suspense, lazy } from 'react';
import type { ActivityProps } from './Activity';

const Feed = lazy(() => import('./Activity'));

export const Activity = (props: ActivityProps) => (
  <Suspense fallback={null}>
    <Feed {...props} />
  </Suspense>
);
