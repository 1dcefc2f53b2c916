/** The components of this feature, each loaded when it is first shown. */
import { Suspense, lazy } from 'react';
import type { BuildDetailProps } from './BuildDetail';
import type { BuildListProps } from './BuildList';
import type { RegressionDetailProps } from './RegressionDetail';
import type { RegressionsProps } from './Regressions';
import type { ServiceSeriesProps } from './ServiceSeries';

const List = lazy(() => import('./Regressions'));
const Detail = lazy(() => import('./RegressionDetail'));
const Builds = lazy(() => import('./BuildList'));
const Build = lazy(() => import('./BuildDetail'));
const Series = lazy(() => import('./ServiceSeries'));

export const Regressions = (props: RegressionsProps) => (
  <Suspense fallback={null}>
    <List {...props} />
  </Suspense>
);
export const RegressionDetail = (props: RegressionDetailProps) => (
  <Suspense fallback={null}>
    <Detail {...props} />
  </Suspense>
);
export const BuildList = (props: BuildListProps) => (
  <Suspense fallback={null}>
    <Builds {...props} />
  </Suspense>
);
export const BuildDetail = (props: BuildDetailProps) => (
  <Suspense fallback={null}>
    <Build {...props} />
  </Suspense>
);
export const ServiceSeries = (props: ServiceSeriesProps) => (
  <Suspense fallback={null}>
    <Series {...props} />
  </Suspense>
);
