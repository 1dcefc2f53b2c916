/** The link to Grafana and its setting, loaded when they are first shown. */
import { Suspense, lazy } from 'react';
import type { GrafanaLinkProps } from './GrafanaLink';
import type { GrafanaSettingsProps } from './GrafanaSettings';

const Link = lazy(() => import('./GrafanaLink'));
const Settings = lazy(() => import('./GrafanaSettings'));

export function GrafanaLink(props: GrafanaLinkProps) {
  return (
    <Suspense fallback={null}>
      <Link {...props} />
    </Suspense>
  );
}

export function GrafanaSettings(props: GrafanaSettingsProps) {
  return (
    <Suspense fallback={null}>
      <Settings {...props} />
    </Suspense>
  );
}
