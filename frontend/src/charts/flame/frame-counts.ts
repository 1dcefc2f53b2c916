/** What the graph shows beside its frames: counts, problems, and whether a target still exists. */
import type { Arranged } from '../../engine/flame/flame-model';
import { namesOfKey, type FlameView } from '../../engine/flame/flame-view';
import type { DrawnCounts } from '../../engine/flame/view-summary';
import { NO_NODE } from '../../engine/flame/diff-part';
import type { Drawn } from './flame-controller';
import type { Target } from './frame-description';

export function sameDrawn(one: Drawn, other: Drawn): boolean {
  return (
    one.drawn === other.drawn &&
    one.narrow === other.narrow &&
    one.whole === other.whole &&
    one.height === other.height &&
    one.root === other.root
  );
}

/** Returns null for a target of an earlier arrangement that does not exist in this one. */
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
  const { nodesSent, nodesTotal, unfiltered } = arranged;
  return { ...drawn, nodesSent, nodesTotal, restState, unfiltered: unfiltered.nodes };
}

export function problemsOf(
  error: string | null,
  arranged: Arranged | null,
  view: FlameView,
  restState: DrawnCounts['restState'],
): string[] {
  const problems = (arranged?.problems ?? []).map(({ field, message }) => `${field}: ${message}`);
  // Only a link names one frame; the function of a finding may be filtered out.
  const named = namesOfKey(view.zoom) !== null;
  const lost = arranged?.zoomLost === true && view.zoom !== '' && !named && restState !== 'loading';
  if (lost) problems.push('The frame in this link was not found. The whole graph is shown.');
  return error === null ? problems : [error, ...problems];
}

/** Returns the node whose children a rest represents; null for a frame or a combined rest. */
export function nodeOfRest(arranged: Arranged, target: Target): number | null {
  if (target.kind !== 'rest') return null;
  const node = arranged.tables[target.table]?.source[target.rest.parent];
  return node === undefined || node === NO_NODE ? null : node;
}
