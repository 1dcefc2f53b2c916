/** The list of webhooks, loaded when it is first shown. */
import { Suspense, lazy } from 'react';
import type { WebhooksProps } from './Webhooks';

const List = lazy(() => import('./Webhooks'));

export function Webhooks(props: WebhooksProps) {
  return (
    <Suspense fallback={null}>
      <List {...props} />
    </Suspense>
  );
}
