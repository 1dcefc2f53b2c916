import { Suspense, lazy } from 'react';
import { SkeletonRows } from '../../ui';
import type { GrowthSectionProps } from './GrowthSection';
import classes from './growth.module.css';

const Section = lazy(() => import('./GrowthSection'));

/** Loaded when a comparison with growth logs is first shown. */
export function GrowthSection(props: GrowthSectionProps) {
  return (
    <Suspense
      fallback={
        <div className={classes.inset}>
          <SkeletonRows rows={12} height={26} label="Loading the stack growths" />
        </div>
      }
    >
      <Section {...props} />
    </Suspense>
  );
}
