/** The commits between two builds, sorted by suspicion or in commit order. */
import { useMemo, useState, type ReactNode } from 'react';
import type { Suspect } from '../../../api';
import { DataTable, Timestamp, type Column, type Sort } from '../../../ui';
import { shortCommit } from '../../../lib/commits';
import classes from './commits.module.css';
import { linesText, shareText } from './commit-wording';

export type CommitsTableProps = {
  commits: Suspect[];
  /** Renders a link to a commit's page. */
  commitLink: (sha: string, words: string) => ReactNode;
  onCommit?: (sha: string) => void;
};

const BY_SHARE: Sort = { column: 'share', descending: true };

export function CommitsTable({ commits, commitLink, onCommit }: CommitsTableProps) {
  const [sort, setSort] = useState<Sort>(BY_SHARE);
  const rows = useMemo(() => sorted(commits, sort), [commits, sort]);
  const columns = useMemo(() => columnsOf(commitLink), [commitLink]);
  return (
    <DataTable
      label="Commits"
      columns={columns}
      rowCount={rows.length}
      rowAt={(index) => rows[index]!}
      rowKey={({ sha }) => sha}
      rowHeight={46}
      sort={sort}
      onSort={setSort}
      onRowClick={onCommit && (({ sha }) => onCommit(sha))}
      minWidth={720}
    />
  );
}

function sorted(commits: Suspect[], { column, descending }: Sort): Suspect[] {
  const way = descending ? -1 : 1;
  const size = ({ lines_added: added, lines_removed: removed }: Suspect) =>
    (added ?? 0) + (removed ?? 0);
  const order = new Map(commits.map(({ sha }, index) => [sha, -index]));
  const place = ({ sha }: Suspect) => order.get(sha) ?? 0;
  const amount =
    column === 'share'
      ? ({ suspicion }: Suspect) => suspicion.probability
      : column === 'lines'
        ? size
        : place;
  return [...commits].sort((a, b) => way * (amount(a) - amount(b)) || place(b) - place(a));
}

const columnsOf = (commitLink: CommitsTableProps['commitLink']): Column<Suspect>[] => [
  {
    id: 'commit',
    head: 'Commit',
    cell: ({ title, sha, suspicion }) => (
      <>
        <span className={classes.title}>{commitLink(sha, title || shortCommit(sha))}</span>
        <span className={classes.why} title={why(suspicion)}>
          {why(suspicion)}
        </span>
      </>
    ),
  },
  {
    id: 'sha',
    head: 'ID',
    width: 100,
    mono: true,
    cell: ({ sha, url }) =>
      url ? (
        <a className="link" href={url} target="_blank" rel="noreferrer noopener">
          {shortCommit(sha)}
        </a>
      ) : (
        shortCommit(sha)
      ),
  },
  { id: 'author', head: 'Author', width: 150, cell: ({ author_name }) => <bdi>{author_name}</bdi> },
  {
    id: 'when',
    head: 'Date',
    width: 110,
    align: 'right',
    sortable: true,
    cell: ({ committed_at }) =>
      committed_at ? <Timestamp at={committed_at} /> : <span className="muted">unknown</span>,
  },
  {
    id: 'lines',
    head: 'Lines',
    width: 110,
    align: 'right',
    sortable: true,
    cell: ({ lines_added: added, lines_removed: removed }) => linesText(added, removed),
  },
  {
    id: 'share',
    head: 'Suspicion',
    width: 210,
    align: 'right',
    sortable: true,
    cell: ({ suspicion }) => (
      <span className={classes.share}>
        <span className={classes.bar} aria-hidden>
          <i style={{ width: `${String(suspicion.probability * 100)}%` }} />
        </span>
        {shareText(suspicion.probability)}
      </span>
    ),
  },
];

const why = ({ reasons }: Suspect['suspicion']): string =>
  reasons.map(({ sentence }) => sentence).join(' ') || 'No evidence for or against this commit.';
