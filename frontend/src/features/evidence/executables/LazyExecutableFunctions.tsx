import { Suspense, lazy } from 'react';
import { Section, SkeletonRows } from '../../../ui';

const Functions = lazy(() => import('./ExecutableFunctions'));

/** Loaded when a Go program is first shown. */
export function ExecutableFunctions({ artifactId }: { artifactId: string }) {
  return (
    <Suspense
      fallback={
        <Section title="Functions">
          <SkeletonRows rows={10} label="Loading the functions" />
        </Section>
      }
    >
      <Functions artifactId={artifactId} />
    </Suspense>
  );
}
