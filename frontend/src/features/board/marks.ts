/** What is marked on the panels of a row: whose deploys, which steps, where nothing is, what people wrote. */
import type { DeployMark, PanelMarks, StepMark } from '../../charts/board';
import type { Board, BoardChange, BoardDeploy, BoardGap, BoardRow } from '../../engine/board-file';
import { spanOf, clockText, type TimeSpan } from '../../engine/board-time';
import { changeLabel, deployLabel } from '../../engine/board-words';

export const NO_MARKS: PanelMarks = {
  deploys: [],
  steps: [],
  gaps: [],
  late: [],
  restarts: [],
  notes: [],
};

/** The step that says most of those at one place: the highest quantile. */
const SAYS_MORE: Record<BoardChange['signal'], number> = {
  p99: 4,
  p90: 3,
  mean: 2,
  p50: 1,
  qps: 0,
};

function deployMarks(board: Board, row: BoardRow, labelled: boolean): DeployMark[] {
  return board.deploys.map((deploy) => ({
    id: deploy.id,
    atMs: deploy.at_ms,
    muted: isQuiet(board, deploy),
    label: labelled && deploy.service_id === row.service.id ? deployLabel(deploy) : null,
  }));
}

/** Muted on every row: what was judged "not slower", and what explains no change. */
function isQuiet(board: Board, { id, verdict }: BoardDeploy): boolean {
  return verdict !== 'slower' && board.changes.every(({ deploy_id }) => deploy_id !== id);
}

/** Changes of a row on one of its panels; of several at one place only the one that says most. */
export function changesOn(
  board: Board,
  row: BoardRow,
  signals: readonly BoardChange['signal'][],
): BoardChange[] {
  const own = board.changes.filter(
    ({ service_id, signal }) => service_id === row.service.id && signals.includes(signal),
  );
  const place = 2 * board.grid.stepMs;
  return own.filter((change) =>
    own.every(
      (other) =>
        other === change ||
        Math.abs(other.at_ms - change.at_ms) > place ||
        SAYS_MORE[other.signal] < SAYS_MORE[change.signal],
    ),
  );
}

function stepMarks(board: Board, changes: BoardChange[], span: TimeSpan): StepMark[] {
  const inOrder = changes.toSorted((a, b) => a.at_ms - b.at_ms);
  return inOrder.map((change, at) => {
    const same = (other: BoardChange) => other.signal === change.signal;
    const previous = inOrder.slice(0, at).findLast(same);
    const next = inOrder.slice(at + 1).find(same);
    return {
      id: change.id,
      atMs: change.at_ms,
      fromMs: previous?.at_ms ?? span.fromMs,
      untilMs: next?.at_ms ?? span.toMs,
      before: change.before,
      after: change.after,
      tone: toneOf(change),
      levels: change.cause !== 'follows',
      low: change.before * change.ratio_low,
      high: change.before * change.ratio_high,
      label: changeLabel(change, board),
    };
  });
}

function toneOf({ signal, cause, ratio }: BoardChange): StepMark['tone'] {
  if (signal === 'qps' || cause === 'load' || cause === 'follows') return 'plain';
  return ratio > 1 ? 'more' : 'less';
}

export function marksOf(
  board: Board,
  row: BoardRow,
  panel: 'qps' | 'latency',
  signals: readonly BoardChange['signal'][],
): PanelMarks {
  const span = spanOf(board.grid);
  const here = (gap: BoardGap) => gap.panel === 'both' || gap.panel === panel;
  return {
    deploys: deployMarks(board, row, panel === 'qps'),
    steps: stepMarks(board, changesOn(board, row, signals), span),
    gaps: row.gaps
      .filter(here)
      // Said once a row: beside its latency, where the eye looks.
      .map((gap) => ({
        fromMs: gap.from_ms,
        toMs: gap.to_ms,
        why: panel === 'latency' || gap.panel === 'qps' ? gap.why : '',
      })),
    late: row.late.map(({ from_ms, to_ms, received_ms }) => ({
      fromMs: from_ms,
      toMs: to_ms,
      told: `Came late, at ${clockText(received_ms)} UTC`,
    })),
    restarts: panel === 'qps' ? row.resets : [],
    notes: board.annotations
      .filter(({ service_id }) => service_id === null || service_id === row.service.id)
      .map(({ id, at_ms, until_ms, text }) => ({ id, atMs: at_ms, untilMs: until_ms, text })),
  };
}
