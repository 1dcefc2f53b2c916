import { Suspense, lazy, type ComponentProps } from 'react';
import { Section, SkeletonRows } from '../../../ui';

const Listing = lazy(() => import('./Assembly'));
const Functions = lazy(() => import('./ExecutableFunctions'));

/** The functions of a Go program, loaded when one is first shown. */
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

/** The assembly of a function, loaded when a function is first disassembled. */
export function Assembly(props: ComponentProps<typeof Listing>) {
  return (
    <Suspense fallback={<SkeletonRows rows={10} height={22} label="Disassembling the function" />}>
      <Listing {...props} />
    </Suspense>
  );
}
