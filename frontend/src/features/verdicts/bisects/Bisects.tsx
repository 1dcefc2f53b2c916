/** The list of the bisects of a team: states, results and costs. */
import type { ReactNode } from 'react';
import type { BisectListItemOut } from '../../../api';
import {
  EmptyState,
  PageHeader,
  PagedTable,
  Section,
  SkeletonRows,
  StateIcon,
  Timestamp,
  countOf,
  usePagedList,
  useTitle,
  type Column,
} from '../../../ui';
import { Likelihood } from '../../../ui/Likelihood';
import { ListFilters } from '../../../ui/ListFilters';
import { isFiltered } from '../../../lib/list-search';
import { shortCommit } from '../../../lib/commits';
import { bisectsQuery } from './shared/bisect-queries';
import { BISECT_STATES, type BisectsSearch } from './shared/bisects-url';
import { STATES, posteriorText, sentenceBesideState, isOpen } from './shared/bisect-wording';

export type BisectsProps = {
  search: BisectsSearch;
  onSearch: (search: BisectsSearch) => void;
  services: { id: string; name: string }[];
  /** *Start bisect* with manual settings. */
  start: ReactNode;
  link: (id: string, words: ReactNode) => ReactNode;
  onOpen: (id: string) => void;
  regressions: (words: ReactNode) => ReactNode;
};

export default function Bisects(props: BisectsProps) {
  const { search, onSearch, services, start, link, onOpen, regressions } = props;
  useTitle('Bisects');
  const bisects = usePagedList(bisectsQuery(search), search);
  return (
    <>
      <PageHeader
        title="Bisects"
        actions={start}
        sub="Finds the commit that caused a regression by deploying and measuring builds in between."
      />
      <ListFilters
        noun="bisects"
        searched="titles, #3"
        filters={[
          { name: 'state', label: 'State', options: BISECT_STATES },
          {
            name: 'service',
            label: 'Service',
            options: services.map(({ id, name }) => ({ value: id, label: name })),
          },
        ]}
        search={search}
        onSearch={onSearch}
      />
      <Section>
        <PagedTable
          label="Bisects"
          list={bisects}
          sorting={{ search, onSort: (sort) => onSearch({ ...search, sort }) }}
          columns={columns(link)}
          rowHeight={46}
          minWidth={820}
          onRowClick={({ id }) => onOpen(id)}
          loading={<SkeletonRows rows={4} />}
          empty={
            isFiltered(search) ? (
              <EmptyState>No bisects match these filters.</EmptyState>
            ) : (
              <EmptyState action={regressions('Go to regressions')} help="bisect">
                No bisects yet. Open a regression, or a comparison of two builds, and press{' '}
                <i>Start bisect</i>: Slowpath excludes commits that cannot be the cause, has a
                runner in your infrastructure deploy the most informative ones, and measures until
                one is left.
              </EmptyState>
            )
          }
        />
      </Section>
    </>
  );
}

const columns = (link: BisectsProps['link']): Column<BisectListItemOut>[] => [
  {
    id: 'title',
    head: 'Bisect',
    text: ({ number, title }) => `#${number} ${title}`,
    cell: (row) => (
      <>
        {link(row.id, row.title)} <span className="muted">#{row.number}</span>
        <br />
        <span className="muted">{sentenceBesideState(row)}</span>
      </>
    ),
  },
  {
    id: 'state',
    head: 'State',
    text: ({ state }) => state,
    width: 160,
    cell: ({ state }) => <StateIcon glyph={STATES[state][0]}>{STATES[state][1]}</StateIcon>,
  },
  {
    id: 'suspect',
    head: 'Top suspect',
    text: ({ culprit }) => culprit?.sha ?? null,
    width: 190,
    cell: ({ culprit, posterior }) =>
      culprit ? (
        <span title={culprit.title}>
          <span className="mono">{shortCommit(culprit.sha)}</span>{' '}
          <Likelihood probability={posterior} text={posteriorText(posterior)} />
        </span>
      ) : (
        <span className="muted">–</span>
      ),
  },
  {
    id: 'deploys',
    head: 'Deployments',
    text: ({ deployments }) => deployments,
    width: 120,
    align: 'right',
    cell: (row) => (
      <>
        {row.deployments}
        {isOpen(row) && row.expected_deployments !== null && (
          <span className="muted"> of about {Math.round(row.expected_deployments)}</span>
        )}
      </>
    ),
  },
  {
    id: 'levels',
    head: 'Depth',
    text: ({ levels }) => levels,
    width: 90,
    align: 'right',
    cell: ({ levels }) => countOf(levels, 'level'),
  },
  {
    id: 'begun',
    head: 'Started',
    text: ({ created_at }) => created_at,
    width: 150,
    cell: ({ created_at }) => (
      <span className="muted">
        <Timestamp at={created_at} />
      </span>
    ),
  },
];
