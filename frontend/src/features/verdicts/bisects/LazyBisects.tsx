/** The parts of this feature, each loaded when it is first shown. */
import { Suspense, lazy } from 'react';
import type { AutomaticBisectsProps } from './AutomaticBisects';
import type { BisectDetailProps } from './BisectDetail';
import type { CommitComparisonProps } from './CommitComparison';
import type { SubjectExperimentsProps } from './Experiments';
import type { MeasuredCommitsProps } from './MeasuredCommits';
import type { PullRequestsProps } from './PullRequests';
import type { RegressionBisectsProps } from './RegressionBisects';
import type { BisectsProps } from './Bisects';
import type { RunnersProps } from './Runners';
import type { StartBisectPageProps } from './start-page-props';

const Automatic = lazy(() => import('./AutomaticBisects'));
const List = lazy(() => import('./Bisects'));
const Commits = lazy(() => import('./CommitComparison'));
const Variants = lazy(() => import('./Experiments'));
const Measured = lazy(() => import('./MeasuredCommits'));
const Pulls = lazy(() => import('./PullRequests'));
const Detail = lazy(() => import('./BisectDetail'));
const Start = lazy(() => import('./StartBisectPage'));
const Before = lazy(() => import('./RegressionBisects'));
const All = lazy(() => import('./Runners'));

export const AutomaticBisects = (props: AutomaticBisectsProps) => (
  <Suspense fallback={null}>
    <Automatic {...props} />
  </Suspense>
);
export const CommitComparison = (props: CommitComparisonProps) => (
  <Suspense fallback={null}>
    <Commits {...props} />
  </Suspense>
);
export const SubjectExperiments = (props: SubjectExperimentsProps) => (
  <Suspense fallback={null}>
    <Variants {...props} />
  </Suspense>
);
export const MeasuredCommits = (props: MeasuredCommitsProps) => (
  <Suspense fallback={null}>
    <Measured {...props} />
  </Suspense>
);
export const PullRequests = (props: PullRequestsProps) => (
  <Suspense fallback={null}>
    <Pulls {...props} />
  </Suspense>
);
export const Bisects = (props: BisectsProps) => (
  <Suspense fallback={null}>
    <List {...props} />
  </Suspense>
);
export const BisectDetail = (props: BisectDetailProps) => (
  <Suspense fallback={null}>
    <Detail {...props} />
  </Suspense>
);
export const StartBisectPage = (props: StartBisectPageProps) => (
  <Suspense fallback={null}>
    <Start {...props} />
  </Suspense>
);
export const Runners = (props: RunnersProps) => (
  <Suspense fallback={null}>
    <All {...props} />
  </Suspense>
);
export const RegressionBisects = (props: RegressionBisectsProps) => (
  <Suspense fallback={null}>
    <Before {...props} />
  </Suspense>
);
