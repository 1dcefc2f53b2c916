/** The candidates of a level: belief, why it is believed, what its probe said. */
import type { ReactNode } from 'react';
import type { BisectCandidate } from '../../api';
import { VerdictMark } from '../../charts';
import { DataTable, EmptyState, type Column } from '../../ui';
import classes from './bisects.module.css';
import { VERDICTS, beliefText, shortSha } from './wording';

type Props = {
  /** The newest first. */
  rows: BisectCandidate[];
  chosen: string | null;
  onChoose: (candidate: BisectCandidate) => void;
  commit: (sha: string, words: ReactNode) => ReactNode;
};

export function Candidates({ rows, chosen, onChoose, commit }: Props) {
  if (rows.length === 0)
    return <EmptyState>No commit of this level changes what the binary is built from.</EmptyState>;
  return (
    <DataTable
      label="Candidates"
      columns={columns(commit)}
      rowCount={rows.length}
      rowAt={(index) => rows[index]!}
      rowKey={({ id }) => id}
      rowHeight={28}
      minWidth={760}
      selectedKey={chosen}
      onRowClick={onChoose}
    />
  );
}

const columns = (commit: Props['commit']): Column<BisectCandidate>[] => [
  {
    id: 'commit',
    head: 'commit',
    cell: ({ sha, title, members }) => (
      <>
        <span className="mono">{commit(sha, shortSha(sha))}</span> {title}
        {members > 1 && <span className="muted"> and {members - 1} more that build the same</span>}
      </>
    ),
  },
  {
    id: 'belief',
    head: 'belief',
    width: 170,
    cell: ({ belief }) => (
      <span className={classes.belief}>
        <i style={{ width: `${Math.max(1, belief * 80)}px` }} />
        {beliefText(belief)}
      </span>
    ),
  },
  { id: 'why', head: 'why believed', width: 280, cell: ({ why }) => why },
  {
    id: 'verdict',
    head: 'verdict',
    width: 180,
    cell: ({ verdict, probe_number }) =>
      verdict ? (
        <span className={classes.verdict}>
          <VerdictMark verdict={verdict} /> {VERDICTS[verdict]}
          {probe_number !== null && `, probe ${probe_number}`}
        </span>
      ) : (
        <span className="muted">not measured</span>
      ),
  },
];
