/** The candidates of a level: probability, reason, and the verdict of its probe. */
import type { ReactNode } from 'react';
import type { BisectCandidate } from '../../../../api';
import { VerdictIcon } from '../../../../charts';
import { DataTable, EmptyState, type Column } from '../../../../ui';
import { shortCommit } from '../../../../lib/commits';
import classes from '../shared/bisects.module.css';
import { VERDICTS, posteriorText } from '../shared/bisect-wording';

type Props = {
  /** The newest first. */
  rows: BisectCandidate[];
  chosen: string | null;
  onChoose: (candidate: BisectCandidate) => void;
  commit: (sha: string, words: ReactNode) => ReactNode;
};

export function Candidates({ rows, chosen, onChoose, commit }: Props) {
  if (rows.length === 0)
    return <EmptyState>No commit in this range changes the binary.</EmptyState>;
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
    head: 'Commit',
    cell: ({ sha, title, members }) => (
      <>
        <span className="mono">{commit(sha, shortCommit(sha))}</span> {title}
        {members > 1 && <span className="muted"> and {members - 1} more with the same binary</span>}
      </>
    ),
  },
  {
    id: 'belief',
    head: 'Probability',
    width: 250,
    cell: ({ posterior: belief }) => (
      <span className={classes.belief}>
        <i style={{ width: `${Math.max(1, belief * 80)}px` }} />
        {belief === 0 ? 'excluded' : posteriorText(belief)}
      </span>
    ),
  },
  { id: 'why', head: 'Reason', width: 280, cell: ({ reason: why }) => why },
  {
    id: 'verdict',
    head: 'Verdict',
    width: 180,
    cell: ({ verdict, probe_number }) =>
      verdict ? (
        <span className={classes.verdict}>
          <VerdictIcon verdict={verdict} /> {VERDICTS[verdict]}
          {probe_number !== null && `, probe ${probe_number}`}
        </span>
      ) : (
        <span className="muted">not measured</span>
      ),
  },
];
