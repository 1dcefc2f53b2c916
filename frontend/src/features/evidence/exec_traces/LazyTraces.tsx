/** The components of traces, loaded when they are first shown: other pages do not load them. */
import { Suspense, lazy } from 'react';
import { SkeletonRows } from '../../../ui';
import type { TracePageProps } from './TracePage';
import type { TraceSectionProps } from './TraceSection';
import classes from './traces.module.css';

const Section = lazy(() => import('./TraceSection'));
const Page = lazy(() => import('./TracePage'));

const waiting = (
  <div className={classes.inset}>
    <SkeletonRows rows={16} label="Loading the traces" />
  </div>
);

export function TraceSection(props: TraceSectionProps) {
  return (
    <Suspense fallback={waiting}>
      <Section {...props} />
    </Suspense>
  );
}

export function TracePage(props: TracePageProps) {
  return (
    <Suspense fallback={waiting}>
      <Page {...props} />
    </Suspense>
  );
}
