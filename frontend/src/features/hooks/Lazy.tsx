/** The list of hooks, loaded when it is first shown. */
import { Suspense, lazy } from 'react';
import type { HooksProps } from './Hooks';

const List = lazy(() => import('./Hooks'));

export function Hooks(props: HooksProps) {
  return (
    <Suspense fallback={null}>
      <List {...props} />
    </Suspense>
  );
}
