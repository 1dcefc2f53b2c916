import { Suspense, lazy, type ReactNode } from 'react';
import { SkeletonRows } from '../../../ui';
import type { GrowthSectionProps } from './GrowthSection';
import classes from './growth.module.css';

const Section = lazy(() => import('./GrowthSection'));
const Page = lazy(() => import('./GrowthPage'));

/** The growth section, loaded when a comparison with growth logs is first shown. */
export function GrowthSection(props: GrowthSectionProps) {
  return (
    <Suspense
      fallback={
        <div className={classes.inset}>
          <SkeletonRows rows={12} height={26} label="Loading stack growth" />
        </div>
      }
    >
      <Section {...props} />
    </Suspense>
  );
}

/** The page of all sets, loaded when it is first shown. */
export function GrowthPage({ above }: { above: ReactNode }) {
  return (
    <Suspense
      fallback={
        <div className={classes.inset}>
          <SkeletonRows rows={4} height={26} label="Loading stack growth" />
        </div>
      }
    >
      <Page above={above} />
    </Suspense>
  );
}
