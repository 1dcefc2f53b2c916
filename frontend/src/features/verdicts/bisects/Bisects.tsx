/** The searches of a team: what runs, what was found, at what cost. */
import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { BisectListItemOut } from '../../../api';
import {
  DataTable,
  EmptyState,
  ErrorState,
  PageHeader,
  Section,
  SkeletonRows,
  StateIcon,
  Timestamp,
  countOf,
  useTitle,
  type Column,
} from '../../../ui';
import { bisectsQuery } from './bisect-queries';
import { STATES, posteriorText, isOpen, shortSha } from './bisect-wording';

export type BisectsProps = {
  /** *Start bisect* with manual settings. */
  start: ReactNode;
  link: (id: string, words: ReactNode) => ReactNode;
  onOpen: (id: string) => void;
  regressions: (words: ReactNode) => ReactNode;
};

export default function Bisects({ start, link, onOpen, regressions }: BisectsProps) {
  useTitle('Bisects');
  const bisects = useInfiniteQuery(bisectsQuery(null));
  const rows = bisects.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <>
      <PageHeader
        title="Bisects"
        actions={start}
        sub="Finds the commit that caused a regression by deploying and measuring builds in between."
      />
      <Section>
        {bisects.error && (
          <ErrorState
            what="Could not load the bisects"
            error={bisects.error}
            action={<Button onClick={() => void bisects.refetch()}>Try again</Button>}
          />
        )}
        {bisects.isPending && <SkeletonRows rows={4} />}
        {bisects.data && rows.length === 0 && (
          <EmptyState action={regressions('Go to regressions')} help="bisect">
            No bisects yet. Open a regression, or a comparison of two builds, and press{' '}
            <i>Start bisect</i>: Slowpath excludes commits that cannot be the cause, has a runner in
            your infrastructure deploy the most informative ones, and measures until one is left.
          </EmptyState>
        )}
        {rows.length > 0 && (
          <DataTable
            label="Bisects"
            columns={columns(link)}
            rowCount={rows.length}
            rowAt={(index) => rows[index]!}
            rowKey={({ id }) => id}
            rowHeight={46}
            minWidth={820}
            tools={bisects.hasNextPage ? 'part' : 'whole'}
            onRowClick={({ id }) => onOpen(id)}
          />
        )}
        {bisects.hasNextPage && (
          <Button loading={bisects.isFetchingNextPage} onClick={() => void bisects.fetchNextPage()}>
            More
          </Button>
        )}
      </Section>
    </>
  );
}

const columns = (link: BisectsProps['link']): Column<BisectListItemOut>[] => [
  {
    id: 'title',
    head: 'Bisect',
    text: ({ number, title }) => `#${number} ${title}`,
    cell: ({ id, number, title, sentence }) => (
      <>
        {link(id, title)} <span className="muted">#{number}</span>
        <br />
        <span className="muted">{sentence}</span>
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
    width: 150,
    cell: ({ culprit, posterior }) =>
      culprit ? (
        <span title={culprit.title}>
          <span className="mono">{shortSha(culprit.sha)}</span>{' '}
          <span className="muted">{posteriorText(posterior)}</span>
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
