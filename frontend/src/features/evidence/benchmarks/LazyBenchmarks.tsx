import { Suspense, lazy } from 'react';
import { SkeletonRows } from '../../../ui';
import type { BenchmarksSectionProps } from './BenchmarksSection';
import classes from './benchmarks.module.css';

const Section = lazy(() => import('./BenchmarksSection'));

/** The benchmarks section, loaded when a comparison with benchmarks is first shown. */
export function BenchmarksSection(props: BenchmarksSectionProps) {
  return (
    <Suspense
      fallback={
        <div className={classes.inset}>
          <SkeletonRows rows={12} height={26} label="Loading the benchmarks" />
        </div>
      }
    >
      <Section {...props} />
    </Suspense>
  );
}
