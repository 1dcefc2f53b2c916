/**
 * The page of two commits that are measured alternately: the verdict, its bounds, and every pair.
 */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { CommitComparison as Comparison } from '../../../../api';
import {
  DataTable,
  ErrorState,
  HiddenInSnapshot,
  PageHeader,
  Section,
  SkeletonRows,
  StateIcon,
  countOf,
  useTitle,
  type Column,
} from '../../../../ui';
import { shortCommit } from '../../../../lib/commits';
import { isOpen, PHASES, secondsText } from '../shared/bisect-wording';
import { cancelCommitComparison, commitComparisonQuery } from './commit-comparison-queries';
import MeasuredCommits from './MeasuredCommits';
import { outcomeOf } from './commit-comparison-wording';

export type CommitComparisonProps = {
  id: string;
  mayWrite: boolean;
  serviceLink: (id: string, words: ReactNode) => ReactNode;
  comparisonLink: (id: string, words: ReactNode) => ReactNode;
  link: (id: string, words: ReactNode) => ReactNode;
};

type Measurement = Comparison['measurements'][number];

const COLUMNS: Column<Measurement>[] = [
  { id: 'pair', head: 'Pair', width: '50px', cell: ({ pair }) => pair },
  {
    id: 'side',
    head: 'Side',
    width: '90px',
    cell: ({ is_candidate }) => (is_candidate ? 'candidate' : 'base'),
  },
  {
    id: 'value',
    head: 'Value',
    width: '120px',
    cell: ({ value, problem, state }) => value?.toPrecision(4) ?? problem ?? PHASES[state],
  },
  {
    id: 'seconds',
    head: 'Time',
    width: '70px',
    cell: ({ seconds }) => secondsText(seconds),
  },
];

export default function CommitComparison(props: CommitComparisonProps) {
  const found = useQuery(commitComparisonQuery(props.id));
  useTitle(found.data?.title ?? 'Commit comparison');
  if (found.error)
    return <ErrorState what="Could not load the commit comparison" error={found.error} />;
  if (!found.data) return <SkeletonRows rows={6} />;
  return <Loaded {...props} row={found.data} />;
}

function Loaded({ row, ...props }: CommitComparisonProps & { row: Comparison }) {
  const [glyph] = outcomeOf(row);
  const { pull_request: pull } = row;
  return (
    <>
      <PageHeader
        title={row.title}
        actions={props.mayWrite && isOpen(row) && <Cancel id={row.id} />}
      />
      <Section title="Result">
        <p>
          <StateIcon glyph={glyph}>{row.sentence}</StateIcon>
        </p>
        <p className="muted">
          {shortCommit(row.candidate_sha)} against {shortCommit(row.base_sha)} of{' '}
          {props.serviceLink(row.service.id, row.service.name)} · {row.signature.label}
          {pull?.url && (
            <>
              {' · '}
              <a href={pull.url} className="link" rel="noreferrer">
                Pull request {pull.number}
              </a>
            </>
          )}
          {row.comparison_id && (
            <> · {props.comparisonLink(row.comparison_id, 'Comparison of both sides')}</>
          )}
        </p>
      </Section>
      <Section
        title="Measurements"
        aside={`${countOf(row.measurements.length, 'deployment')}, at most ${countOf(row.pairs, 'pair')} and ${countOf(row.minutes, 'minute')}; the order within a pair is random`}
      >
        <DataTable
          label="Measurements"
          columns={COLUMNS}
          rowCount={row.measurements.length}
          rowAt={(index) => row.measurements[index]!}
          rowKey={({ number }) => String(number)}
          minWidth={330}
        />
      </Section>
      {pull && (
        <MeasuredCommits
          title={`All measurements of pull request ${pull.number}`}
          filter={{ service_id: row.service.id, pull_request: pull.number }}
          link={props.link}
          without={row.id}
        />
      )}
    </>
  );
}

function Cancel({ id }: { id: string }) {
  const client = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => cancelCommitComparison(id),
    onSettled: () => client.invalidateQueries({ queryKey: commitComparisonQuery(id).queryKey }),
  });
  return (
    <HiddenInSnapshot>
      <Button variant="default" loading={cancel.isPending} onClick={() => cancel.mutate()}>
        Cancel
      </Button>
      {cancel.error && <ErrorState compact what="Could not cancel it" error={cancel.error} />}
    </HiddenInSnapshot>
  );
}
