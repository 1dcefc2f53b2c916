/** The deployments of all services and environments. */
import type { ReactNode } from 'react';
import type { Deploy } from '../../../api';
import {
  EmptyState,
  PageHeader,
  PagedTable,
  Section,
  SkeletonRows,
  Timestamp,
  usePagedList,
  useTitle,
  type Column,
} from '../../../ui';
import { ListFilters } from '../../../ui/ListFilters';
import { isFiltered } from '../../../lib/list-search';
import { shortCommit } from '../../../lib/commits';
import { deploymentsQuery, type DeploymentsSearch } from './catalog-queries';

type Named = { id: string; name: string };

type DeploymentsProps = {
  search: DeploymentsSearch;
  onSearch: (search: DeploymentsSearch) => void;
  services: Named[];
  environments: Named[];
  buildLink: (buildId: string, words: ReactNode) => ReactNode;
};

const choicesOf = (named: Named[]) => named.map(({ id, name }) => ({ value: id, label: name }));

export function DeploymentsPage(props: DeploymentsProps) {
  const { search, onSearch, services, environments } = props;
  useTitle('Deployments');
  const deployments = usePagedList(deploymentsQuery(search), search);
  return (
    <>
      <PageHeader
        title="Deployments"
        sub="Builds that ran in an environment, as your deploy tools, webhooks and bisects recorded them."
      />
      <ListFilters
        noun="deployments"
        searched="commits, labels"
        filters={[
          { name: 'service', label: 'Service', options: choicesOf(services) },
          { name: 'environment', label: 'Environment', options: choicesOf(environments) },
        ]}
        search={search}
        onSearch={onSearch}
      />
      <Section>
        <PagedTable
          label="Deployments"
          list={deployments}
          sorting={{ search, onSort: (sort) => onSearch({ ...search, sort }) }}
          columns={columnsOf(props)}
          minWidth={900}
          loading={<SkeletonRows rows={8} />}
          empty={
            <EmptyState help="deployments">
              {isFiltered(search)
                ? 'No deployments match these filters.'
                : 'No deployments yet. Announce them from your deploy tool, or add a webhook.'}
            </EmptyState>
          }
        />
      </Section>
    </>
  );
}

/**
 * Returns the source of a deployment. Those without a tool, webhook or bisect as their source came
 * through the API.
 */
const sourceOf = ({ source }: { source: string }) => (source === 'api' ? 'API' : source);

function columnsOf({
  services,
  environments,
  buildLink,
}: Pick<DeploymentsProps, 'services' | 'environments' | 'buildLink'>): Column<Deploy>[] {
  const dash = <span className="muted">–</span>;
  const nameIn = (named: Named[], wanted: string) =>
    named.find(({ id }) => id === wanted)?.name ?? null;
  return [
    {
      id: 'commit',
      head: 'Commit',
      text: ({ commit }) => commit,
      width: 120,
      mono: true,
      cell: ({ commit, build_id }) => {
        const words = <span title={commit}>{shortCommit(commit) || '–'}</span>;
        return build_id === null ? words : buildLink(build_id, words);
      },
    },
    {
      id: 'label',
      head: 'Label',
      text: ({ label }) => label,
      cell: ({ label, url }) => {
        const words = label ?? (url ? 'Open in the deploy tool' : dash);
        return url ? (
          <a href={url} className="link" rel="noreferrer noopener">
            {words}
          </a>
        ) : (
          words
        );
      },
    },
    {
      id: 'service',
      head: 'Service',
      text: ({ service_id }) => nameIn(services, service_id),
      width: '16%',
      cell: ({ service_id }) => nameIn(services, service_id) ?? dash,
    },
    {
      id: 'environment',
      head: 'Environment',
      text: ({ environment_id }) => nameIn(environments, environment_id),
      width: '12%',
      cell: ({ environment_id }) => nameIn(environments, environment_id) ?? dash,
    },
    {
      id: 'commits',
      head: 'Commits',
      text: ({ commits }) => commits.length,
      width: 90,
      align: 'right',
      cell: ({ commits }) => commits.length || dash,
    },
    {
      id: 'source',
      head: 'Source',
      text: sourceOf,
      width: 110,
      cell: sourceOf,
    },
    {
      id: 'started',
      head: 'Started',
      text: ({ started_at }) => started_at,
      width: 140,
      align: 'right',
      cell: ({ started_at }) => <Timestamp at={started_at} />,
    },
    {
      id: 'ended',
      head: 'Ended',
      text: ({ ended_at }) => ended_at,
      width: 140,
      align: 'right',
      cell: ({ ended_at }) => (ended_at === null ? 'running' : <Timestamp at={ended_at} />),
    },
  ];
}
