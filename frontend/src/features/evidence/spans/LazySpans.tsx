/** The pages of spans, loaded when they are first shown: other pages do not load them. */
import { Suspense, lazy } from 'react';
import { SkeletonRows } from '../../../ui';
import type { ServiceMapPageProps } from './ServiceMapPage';
import type { SpanSetPageProps } from './SpanSetPage';
import type { SpansSectionProps } from './SpansSection';
import type { WaterfallPageProps } from './WaterfallPage';
import classes from './spans.module.css';

const Waterfall = lazy(() => import('./WaterfallPage'));
const SetPage = lazy(() => import('./SpanSetPage'));
const Section = lazy(() => import('./SpansSection'));
const Map = lazy(() => import('./ServiceMapPage'));

const waiting = (
  <div className={classes.inset}>
    <SkeletonRows rows={16} height={26} label="Loading the spans" />
  </div>
);

export function WaterfallPage(props: WaterfallPageProps) {
  return (
    <Suspense fallback={waiting}>
      <Waterfall {...props} />
    </Suspense>
  );
}

export function SpanSetPage(props: SpanSetPageProps) {
  return (
    <Suspense fallback={waiting}>
      <SetPage {...props} />
    </Suspense>
  );
}

export function SpansSection(props: SpansSectionProps) {
  return (
    <Suspense fallback={waiting}>
      <Section {...props} />
    </Suspense>
  );
}

export function ServiceMapPage(props: ServiceMapPageProps) {
  return (
    <Suspense fallback={waiting}>
      <Map {...props} />
    </Suspense>
  );
}
