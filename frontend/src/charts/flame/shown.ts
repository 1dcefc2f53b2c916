/** What the graph shows beside its frames: counts, problems, and whether a target still exists. */
import type { Arranged, DrawnCounts, FlameView } from '../../engine';
import { NO_NODE } from '../../engine';
import type { Drawn } from './controller';
import type { Target } from './told';

export function sameDrawn(one: Drawn, other: Drawn): boolean {
  return (
    one.drawn === other.drawn &&
    one.narrow === other.narrow &&
    one.whole === other.whole &&
    one.rows === other.rows &&
    one.root === other.root
  );
}

/** A target of an earlier arrangement may not exist in this one. */
export function present(arranged: Arranged | null, target: Target | null): Target | null {
  if (arranged === null || target === null) return null;
  const frames = arranged.tables[target.table];
  if (frames === undefined || target.side >= arranged.sides.length) return null;
  const last =
    target.kind === 'frame' ? target.frame : Math.max(target.rest.parent, target.rest.to - 1);
  return last < frames.count ? target : null;
}

export function countsOf(
  arranged: Arranged | null,
  drawn: Drawn | null,
  restState: DrawnCounts['restState'],
): DrawnCounts | null {
  if (arranged === null || drawn === null) return null;
  const { nodesSent, nodesTotal, unasked } = arranged;
  return { ...drawn, nodesSent, nodesTotal, restState, unasked: unasked.nodes };
}

export function problemsOf(
  error: string | null,
  arranged: Arranged | null,
  view: FlameView,
  restState: DrawnCounts['restState'],
): string[] {
  const problems = (arranged?.problems ?? []).map(({ field, message }) => `${field}: ${message}`);
  const lost = arranged?.zoomLost === true && view.zoom !== '' && restState !== 'loading';
  if (lost)
    problems.push(
      'The frame that this link zooms to is not among the frames; everything is shown.',
    );
  return error === null ? problems : [error, ...problems];
}

/** The node whose children a rest stands for; null when it is no rest, or one that was put together. */
export function nodeOfRest(arranged: Arranged, target: Target): number | null {
  if (target.kind !== 'rest') return null;
  const node = arranged.tables[target.table]?.source[target.rest.parent];
  return node === undefined || node === NO_NODE ? null : node;
}
