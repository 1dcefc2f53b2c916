/** The list of channels, loaded when it is first shown. */
import { Suspense, lazy } from 'react';
import type { ChannelsProps } from './Channels';

const List = lazy(() => import('./Channels'));

export function Channels(props: ChannelsProps) {
  return (
    <Suspense fallback={null}>
      <List {...props} />
    </Suspense>
  );
}
