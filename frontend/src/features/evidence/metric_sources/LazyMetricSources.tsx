/** The list of sources, loaded when it is first shown. */
import { Suspense, lazy } from 'react';
import type { MetricSourcesProps } from './MetricSources';

const Sources = lazy(() => import('./MetricSources'));

export function MetricSources(props: MetricSourcesProps) {
  return (
    <Suspense fallback={null}>
      <Sources {...props} />
    </Suspense>
  );
}
