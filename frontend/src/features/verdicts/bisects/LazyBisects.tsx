/** The components of this feature, each loaded when it is first shown. */
import { Suspense, lazy } from 'react';
import type { AutomaticBisectsProps } from './rules/AutomaticBisects';
import type { BisectDetailProps } from './detail/BisectDetail';
import type { CommitComparisonProps } from './pull_requests/CommitComparison';
import type { SubjectExperimentsProps } from './experiments/Experiments';
import type { MeasuredCommitsProps } from './pull_requests/MeasuredCommits';
import type { PullRequestsProps } from './pull_requests/PullRequests';
import type { RegressionBisectsProps } from './start/RegressionBisects';
import type { BisectsProps } from './Bisects';
import type { RunnersProps } from './runners/Runners';
import type { StartBisectPageProps } from './start/start-page-props';

const Automatic = lazy(() => import('./rules/AutomaticBisects'));
const List = lazy(() => import('./Bisects'));
const Commits = lazy(() => import('./pull_requests/CommitComparison'));
const Variants = lazy(() => import('./experiments/Experiments'));
const Measured = lazy(() => import('./pull_requests/MeasuredCommits'));
const Pulls = lazy(() => import('./pull_requests/PullRequests'));
const Detail = lazy(() => import('./detail/BisectDetail'));
const Start = lazy(() => import('./start/StartBisectPage'));
const Before = lazy(() => import('./start/RegressionBisects'));
const All = lazy(() => import('./runners/Runners'));

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
