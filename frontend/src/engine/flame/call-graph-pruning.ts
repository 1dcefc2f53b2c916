/**
 * Selects what is drawn of a call graph, as pprof does: functions below a share of the whole are
 * omitted, then all but the most informative functions, then calls below a share of the whole and
 * indirect calls whose callee is also reached by another path.
 */
import { sumCalls, sumFunctions, type Call, type CallGraphFunctions } from './call-graph';
import type { DiffTree } from './diff-tree';
import type { Scales } from './tree-draft';

/** The least shares of the whole for functions and calls, and the largest number of functions. */
type PruningLimits = { nodeFraction: number; edgeFraction: number; nodes: number };

/** pprof's defaults. */
export const PRUNING_LIMITS: PruningLimits = {
  nodeFraction: 0.005,
  edgeFraction: 0.001,
  nodes: 80,
};

/** A function of the graph; values in shown units. */
export type GraphNode = {
  name: number;
  text: string;
  category: string;
  runtime: boolean;
  base: { self: number; total: number };
  candidate: { self: number; total: number };
};

/** A call; values in shown units. */
export type GraphEdge = Call & { weight: number };

export type PrunedGraph = {
  nodes: GraphNode[];
  edges: GraphEdge[];
  /** The value of the whole tree, for shares. */
  whole: number;
  /** The numbers of omitted functions and calls, and the largest total of an omitted function. */
  leftOut: { functions: number; calls: number; largest: number };
};

export function pruneCallGraph(
  tree: DiffTree,
  scales: Scales,
  limits: PruningLimits = PRUNING_LIMITS,
): PrunedGraph {
  const functions = sumFunctions(tree);
  const { base, candidate } = scales;
  const total = (name: number): number =>
    functions.baseTotal[name]! * base + functions.candidateTotal[name]! * candidate;
  const self = (name: number): number =>
    functions.baseSelf[name]! * base + functions.candidateSelf[name]! * candidate;
  const whole = tree.rows.baseTotal[0]! * base + tree.rows.candidateTotal[0]! * candidate;
  const scaled = (call: Call): GraphEdge => {
    const values = { base: call.base * base, candidate: call.candidate * candidate };
    return { ...call, ...values, weight: values.base + values.candidate };
  };

  const all = Array.from({ length: tree.names.count }, (_, name) => name).filter(
    (name) => total(name) > 0,
  );
  const large = new Set(all.filter((name) => total(name) >= limits.nodeFraction * whole));
  const among = sumCalls(tree, (name) => large.has(name)).map(scaled);
  const score = scoresOf(among, self, total);
  const chosen = [...large].sort((a, b) => score(b) - score(a) || a - b).slice(0, limits.nodes);
  const kept = new Set(chosen);
  const calls = sumCalls(tree, (name) => kept.has(name)).map(scaled);
  const drawn = withoutRedundant(
    calls.filter(({ weight }) => weight > 0 && weight >= limits.edgeFraction * whole),
  );
  return {
    nodes: chosen.map((name) => nodeOf(tree, functions, scales, name)),
    edges: drawn,
    whole,
    leftOut: {
      functions: all.length - chosen.length,
      calls: calls.length - drawn.length,
      largest: all.reduce((most, name) => (kept.has(name) ? most : Math.max(most, total(name))), 0),
    },
  };
}

function nodeOf(
  { names, header }: DiffTree,
  functions: CallGraphFunctions,
  { base, candidate }: Scales,
  name: number,
): GraphNode {
  return {
    name,
    text: names.text(name),
    category: header.categories[functions.category[name]!] ?? '',
    runtime: functions.runtime[name] === 1,
    base: {
      self: functions.baseSelf[name]! * base,
      total: functions.baseTotal[name]! * base,
    },
    candidate: {
      self: functions.candidateSelf[name]! * candidate,
      total: functions.candidateTotal[name]! * candidate,
    },
  };
}

const entropy = (part: number, whole: number): number =>
  part > 0 ? -(part / whole) * Math.log2(part / whole) : 0;

/** Returns the entropy of the calls into or out of a function, in bits; 1 without calls. */
function spread(weights: readonly number[], self: number): number {
  if (weights.length === 0) return 1;
  const whole = weights.reduce((sum, weight) => sum + weight, self);
  if (whole <= 0) return 0;
  return weights.reduce((sum, weight) => sum + entropy(weight, whole), entropy(self, whole));
}

/** Returns pprof's score of functions; it is high where a large cost branches. */
function scoresOf(
  calls: readonly GraphEdge[],
  self: (name: number) => number,
  total: (name: number) => number,
): (name: number) => number {
  const into = new Map<number, number[]>();
  const out = new Map<number, number[]>();
  for (const { caller, callee, weight } of calls) {
    into.set(callee, [...(into.get(callee) ?? []), weight]);
    out.set(caller, [...(out.get(caller) ?? []), weight]);
  }
  const scores = new Map<number, number>();
  const compute = (name: number): number =>
    (spread(into.get(name) ?? [], 0) + spread(out.get(name) ?? [], self(name))) * total(name) +
    self(name);
  return (name) => {
    const known = scores.get(name) ?? compute(name);
    scores.set(name, known);
    return known;
  };
}

/** Removes indirect calls whose callee is also reached by another path, the lightest first. */
function withoutRedundant(edges: readonly GraphEdge[]): GraphEdge[] {
  const left = new Set(edges);
  const lightest = edges.filter(({ indirect }) => indirect).sort((a, b) => a.weight - b.weight);
  for (const edge of lightest) if (reaches(left, edge)) left.delete(edge);
  return edges.filter((edge) => left.has(edge));
}

function reaches(edges: ReadonlySet<GraphEdge>, without: GraphEdge): boolean {
  const seen = new Set([without.caller]);
  const open = [without.caller];
  while (open.length > 0) {
    const from = open.pop();
    for (const edge of edges) {
      if (edge === without || edge.caller !== from || seen.has(edge.callee)) continue;
      if (edge.callee === without.callee) return true;
      seen.add(edge.callee);
      open.push(edge.callee);
    }
  }
  return false;
}
