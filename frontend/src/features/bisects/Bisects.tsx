/** The searches of a team: what runs, what was found, at what cost. */
import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { BisectRow } from '../../api';
import {
  DataTable,
  EmptyState,
  ErrorState,
  PageHead,
  Section,
  SkeletonRows,
  StateGlyph,
  Time,
  countOf,
  useTitle,
  type Column,
} from '../../ui';
import { bisectsQuery } from './queries';
import { STATES, beliefText, isOpen, shortSha } from './wording';

export type BisectsProps = {
  /** *Start bisect* with everything said by hand. */
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
      <PageHead
        title="Bisects"
        actions={start}
        sub="From a regression to the commit that did it, by deploying and measuring builds in between."
      />
      <Section>
        {bisects.error && (
          <ErrorState
            what="The bisects could not be read"
            error={bisects.error}
            action={<Button onClick={() => void bisects.refetch()}>Try again</Button>}
          />
        )}
        {bisects.isPending && <SkeletonRows rows={4} />}
        {bisects.data && rows.length === 0 && (
          <EmptyState action={regressions('To the regressions')}>
            No bisects yet. Open a regression, or a comparison of two builds, and press{' '}
            <i>Start bisect</i>: Slowpath finds out which commits can not be it, has a runner in
            your own infrastructure deploy the most telling ones, and measures until one is left.
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
            onRowClick={({ id }) => {
              onOpen(id);
            }}
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

const columns = (link: BisectsProps['link']): Column<BisectRow>[] => [
  {
    id: 'title',
    head: 'bisect',
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
    head: 'state',
    width: 160,
    cell: ({ state }) => <StateGlyph glyph={STATES[state][0]}>{STATES[state][1]}</StateGlyph>,
  },
  {
    id: 'suspect',
    head: 'suspect',
    width: 150,
    cell: ({ culprit, belief }) =>
      culprit ? (
        <span title={culprit.title}>
          <span className="mono">{shortSha(culprit.sha)}</span>{' '}
          <span className="muted">{beliefText(belief)}</span>
        </span>
      ) : (
        <span className="muted">–</span>
      ),
  },
  {
    id: 'deploys',
    head: 'deploys',
    width: 120,
    align: 'right',
    cell: (row) => (
      <>
        {row.deploys}
        {isOpen(row) && row.expected_deploys !== null && (
          <span className="muted"> of about {Math.round(row.expected_deploys)}</span>
        )}
      </>
    ),
  },
  {
    id: 'levels',
    head: 'depth',
    width: 90,
    align: 'right',
    cell: ({ levels }) => countOf(levels, 'level'),
  },
  {
    id: 'begun',
    head: 'begun',
    width: 150,
    cell: ({ created_at }) => (
      <span className="muted">
        <Time at={created_at} />
      </span>
    ),
  },
];
