/** A link to the team's dashboard in Grafana, if the settings contain one. */
import { useQuery } from '@tanstack/react-query';
import { environmentsQuery } from '../../inventory/catalog';
import { sharingQuery } from '../reports';
import { dashboardAddress } from './dashboard-address';

export type GrafanaLinkProps = {
  /** The slug of the service. */
  service: string;
  /** The id of the environment; null means the default one. */
  environmentId: string | null;
  /** Milliseconds since 1970, or the length of a range that ends now. */
  range: { fromMs: number; toMs: number } | string;
};

const USUAL = 'production';

export default function GrafanaLink({ service, environmentId, range }: GrafanaLinkProps) {
  const settings = useQuery(sharingQuery);
  const template = settings.data?.dashboard_url ?? '';
  const environments = useQuery({ ...environmentsQuery, enabled: template !== '' });
  const known = environments.data?.items ?? [];
  const environment =
    known.find(({ id, slug }) => (environmentId ? id === environmentId : slug === USUAL)) ??
    known[0];
  const [from, to] =
    typeof range === 'string' ? [`now-${range}`, 'now'] : [range.fromMs, range.toMs];
  const address =
    environment && dashboardAddress(template, { service, environment: environment.slug, from, to });
  if (!address) return null;
  return (
    <a className="link" href={address} target="_blank" rel="noopener noreferrer">
      Grafana
    </a>
  );
}
