/** A table of measurements of pull requests and of two commits, newest first. */
import type { ReactNode } from 'react';
import type { CommitComparisonSummary } from '../../../../api';
import { PagedTable, StateIcon, Timestamp, usePagedList, type Column } from '../../../../ui';
import { shortCommit } from '../../../../lib/commits';
import { commitComparisonsQuery, type CommitComparisonsFilter } from './commit-comparison-queries';
import { outcomeOf } from './commit-comparison-wording';

type Props = {
  label: string;
  filter: CommitComparisonsFilter;
  link: (id: string, words: ReactNode) => ReactNode;
};

export function CommitComparisonTable({ label, filter, link }: Props) {
  const list = usePagedList(commitComparisonsQuery(filter));
  return (
    <PagedTable
      label={label}
      list={list}
      columns={columns(link)}
      rowHeight={46}
      minWidth={760}
      loading={null}
      empty={null}
    />
  );
}

const columns = (link: Props['link']): Column<CommitComparisonSummary>[] => [
  {
    id: 'title',
    head: 'Measurement',
    text: ({ title }) => title,
    cell: ({ id, title, sentence }) => (
      <>
        {link(id, title)}
        <br />
        <span className="muted">{sentence}</span>
      </>
    ),
  },
  {
    id: 'branch',
    head: 'Branch',
    text: ({ pull_request }) => pull_request?.branch ?? null,
    width: 130,
    cell: ({ pull_request }) => <span className="muted">{pull_request?.branch ?? '–'}</span>,
  },
  {
    id: 'commits',
    head: 'Commit, base',
    text: ({ candidate_sha, base_sha }) => `${candidate_sha} ${base_sha}`,
    width: 140,
    cell: ({ candidate_sha, base_sha }) => (
      <span className="mono">
        {shortCommit(candidate_sha)} <span className="muted">{shortCommit(base_sha)}</span>
      </span>
    ),
  },
  {
    id: 'result',
    head: 'Result',
    text: (row) => outcomeOf(row)[1],
    width: 120,
    cell: (row) => {
      const [glyph, words] = outcomeOf(row);
      return <StateIcon glyph={glyph}>{words}</StateIcon>;
    },
  },
  {
    id: 'begun',
    head: 'Started',
    text: ({ created_at }) => created_at,
    width: 110,
    cell: ({ created_at }) => (
      <span className="muted">
        <Timestamp at={created_at} />
      </span>
    ),
  },
];
