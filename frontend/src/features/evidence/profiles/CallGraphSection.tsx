/** The call graph of a view: its largest functions and the calls between them, and what is left out. */
import { Suspense, lazy, useMemo, type RefObject } from 'react';
import type { CallGraphHandle } from '../../../charts';
import { PRUNING_LIMITS, pruneCallGraph } from '../../../engine/flame/call-graph-pruning';
import { normalizationIndex, type DiffTree } from '../../../engine/flame/diff-tree';
import { formatShare, unitOf } from '../../../engine/format/format';
import { EmptyState, ProblemBoundary, SkeletonRows, countOf } from '../../../ui';
import classes from './profiles.module.css';

const CallGraph = lazy(async () => ({
  default: (await import('../../../charts/call-graph/CallGraph')).CallGraph,
}));

type GraphProps = {
  tree: DiffTree | null;
  /** Id of the normalization of its values. */
  basis: string;
  /** Whether it is of one profile; else the nodes show base and candidate. */
  oneSided: boolean;
  selected: string;
  onSelect: (name: string) => void;
  graph: RefObject<CallGraphHandle | null>;
};

export function CallGraphSection({ tree, basis, graph, ...shown }: GraphProps) {
  const drawn = useMemo(() => {
    if (!tree) return null;
    const found = tree.header.normalizations[normalizationIndex(tree.header, basis)];
    const scales = { base: found?.base_scale ?? 0, candidate: found?.candidate_scale ?? 1 };
    return { pruned: pruneCallGraph(tree, scales), unit: unitOf(found?.unit ?? 'count') };
  }, [tree, basis]);
  if (!tree || !drawn)
    return (
      <div className={classes.inset}>
        <SkeletonRows rows={14} label="Loading the call graph" />
      </div>
    );
  const { pruned, unit } = drawn;
  if (pruned.nodes.length === 0)
    return (
      <div className={classes.inset}>
        <EmptyState>No function to draw: these samples have no stacks.</EmptyState>
      </div>
    );
  return (
    <div className={classes.inset}>
      <p className={classes.leftOut}>{leftOutText(pruned, tree)}</p>
      <ProblemBoundary what="The call graph failed">
        <Suspense fallback={<SkeletonRows rows={14} label="Loading the call graph" />}>
          <CallGraph
            ref={graph}
            graph={pruned}
            unit={unit}
            {...shown}
            label="Call graph. Arrow keys lead to callers, callees and neighbors."
          />
        </Suspense>
      </ProblemBoundary>
    </div>
  );
}

function leftOutText(
  { nodes, leftOut, whole }: ReturnType<typeof pruneCallGraph>,
  { hiddenTotal }: DiffTree,
): string {
  const { nodeFraction, edgeFraction, nodes: most } = PRUNING_LIMITS;
  const parts = [`${countOf(nodes.length, 'function')}, larger with more self cost`];
  if (leftOut.functions > 0)
    parts.push(
      `${countOf(leftOut.functions, 'function')} left out: below ${formatShare(nodeFraction)}, ` +
        `or beyond the ${most} most informative; the largest has ${formatShare(leftOut.largest / whole)}`,
    );
  if (leftOut.calls > 0)
    parts.push(`${countOf(leftOut.calls, 'call')} below ${formatShare(edgeFraction)} left out`);
  parts.push('dashed: through functions that are left out');
  if (hiddenTotal > 0) parts.push(`${countOf(hiddenTotal, 'small frame')} not loaded`);
  return parts.join(' · ');
}
