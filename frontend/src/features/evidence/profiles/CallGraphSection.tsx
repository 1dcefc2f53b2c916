/** The call graph of a view: its largest functions, their calls, and how many are omitted. */
import { Suspense, lazy, useMemo, type RefObject } from 'react';
import type { CallGraphHandle } from '../../../charts';
import { fillCallGraph } from '../../../engine/flame/call-graph-fills';
import { PRUNING_LIMITS, pruneCallGraph } from '../../../engine/flame/call-graph-pruning';
import { normalizationIndex, type DiffTree } from '../../../engine/flame/diff-tree';
import type { FunctionTable } from '../../../engine/flame/function-table';
import { formatShare, unitOf } from '../../../engine/format/format';
import { EmptyState, ProblemBoundary, SkeletonRows, countOf } from '../../../ui';
import classes from './profiles.module.css';

const CallGraph = lazy(async () => ({
  default: (await import('../../../charts/call-graph/CallGraph')).CallGraph,
}));

const FlameLegend = lazy(async () => ({
  default: (await import('../../../charts/flame/FlameLegend')).FlameLegend,
}));

type GraphProps = {
  tree: DiffTree | null;
  /** The ID of the normalization of its values. */
  basis: string;
  /**
   * The functions of a diff with their test results, which color the graph; null for one profile,
   * or until they are loaded.
   */
  changes?: FunctionTable | null;
  /** Whether it shows one profile; otherwise nodes have values of base and candidate. */
  oneSided: boolean;
  selected: string;
  onSelect: (name: string) => void;
  graph: RefObject<CallGraphHandle | null>;
};

export function CallGraphSection({ tree, basis, graph, changes = null, ...shown }: GraphProps) {
  const drawn = useMemo(() => {
    if (!tree) return null;
    const found = tree.header.normalizations[normalizationIndex(tree.header, basis)];
    const scales = { base: found?.base_scale ?? 0, candidate: found?.candidate_scale ?? 1 };
    const pruned = pruneCallGraph(tree, scales);
    const number = normalizationIndex(tree.header, basis);
    const fills = changes ? fillCallGraph(pruned, changes, number, scales) : null;
    return { pruned, fills, unit: unitOf(found?.unit ?? 'count') };
  }, [tree, basis, changes]);
  if (!tree || !drawn)
    return (
      <div className={classes.inset}>
        <SkeletonRows rows={14} label="Loading the call graph" />
      </div>
    );
  const { pruned, fills, unit } = drawn;
  if (pruned.nodes.length === 0)
    return (
      <div className={classes.inset}>
        <EmptyState>No function to draw: these samples have no stacks.</EmptyState>
      </div>
    );
  return (
    <div className={classes.inset}>
      <p className={classes.leftOut}>{leftOutText(pruned, tree)}</p>
      {fills && (
        <Suspense fallback={null}>
          <p className={classes.leftOut}>
            <FlameLegend mode="overlay" selected="" rests={false} /> A line has the color of the
            function that it leads to.
          </p>
        </Suspense>
      )}
      <ProblemBoundary what="The call graph failed">
        <Suspense fallback={<SkeletonRows rows={14} label="Loading the call graph" />}>
          <CallGraph
            ref={graph}
            graph={pruned}
            unit={unit}
            fills={fills}
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
