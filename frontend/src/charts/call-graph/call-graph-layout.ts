/** Lays out a call graph: callers above, sizes by self cost, line widths by cost. */
import { Graph, layout } from '@dagrejs/dagre';
import type { GraphEdge, GraphNode, PrunedGraph } from '../../engine/flame/call-graph-pruning';
import { visibleName } from '../../engine/flame/frame-label';
import { shortName } from '../../engine/format/short-function-name';
import { formatShare, formatValue, type UnitOf } from '../../engine/format/format';

export type PlacedNode = GraphNode & {
  x: number;
  y: number;
  width: number;
  height: number;
  fontPx: number;
  /** The shortened name, then the values. */
  lines: string[];
  rank: number;
};

type PlacedEdge = GraphEdge & {
  path: string;
  linePx: number;
  /** Position of the value of the call. */
  x: number;
  y: number;
  value: string;
};

export type PlacedGraph = {
  width: number;
  height: number;
  nodes: PlacedNode[];
  edges: PlacedEdge[];
};

const NAME_MOST = 44;
const VALUE_PX = 11;
const LINE_HEIGHT = 1.3;
/** Width of a character of the monospaced font, in font sizes. */
const CHARACTER = 0.61;
const PAD_PX = 8;
const LEAST_FONT_PX = 11;
const MORE_FONT_PX = 13;
const MOST_LINE_PX = 6;

const selfOf = ({ base, candidate }: GraphNode): number => base.self + candidate.self;
const totalOf = ({ base, candidate }: GraphNode): number => base.total + candidate.total;

/** Returns the value of one side, or the values of both sides, the candidate's first. */
function valueText(base: number, candidate: number, unit: UnitOf, oneSided: boolean): string {
  const shown = formatValue(candidate, unit);
  return oneSided ? shown : `${shown}, was ${formatValue(base, unit)}`;
}

function linesOf(node: GraphNode, whole: number, unit: UnitOf, oneSided: boolean): string[] {
  const name = visibleName(shortName(node.text), NAME_MOST);
  const share = (value: number) =>
    oneSided && whole > 0 && unit.quantity !== 'share' ? ` (${formatShare(value / whole)})` : '';
  const self = valueText(node.base.self, node.candidate.self, unit, oneSided);
  const total = valueText(node.base.total, node.candidate.total, unit, oneSided);
  if (selfOf(node) === totalOf(node)) return [name, `${self}${share(selfOf(node))}`];
  const lines = [name, `total ${total}${share(totalOf(node))}`];
  return selfOf(node) > 0 ? [...lines, `self ${self}${share(selfOf(node))}`] : lines;
}

function sizeOf(node: GraphNode, whole: number, lines: string[]) {
  const part = whole > 0 ? Math.sqrt(selfOf(node) / whole) : 0;
  const fontPx = Math.round(LEAST_FONT_PX + MORE_FONT_PX * Math.min(1, part));
  const [name = '', ...values] = lines;
  const widest = Math.max(
    name.length * fontPx * CHARACTER,
    ...values.map((line) => line.length * VALUE_PX * CHARACTER),
  );
  return {
    fontPx,
    width: Math.ceil(widest + 2 * PAD_PX),
    height: Math.ceil((fontPx + values.length * VALUE_PX) * LINE_HEIGHT + PAD_PX),
  };
}

const round = (value: number): number => Math.round(value * 10) / 10;

/** Returns a smooth path through points: quadratic curves between their midpoints. */
function pathThrough(points: readonly { x: number; y: number }[]): string {
  const [first, ...rest] = points;
  const last = rest.pop();
  if (first === undefined || last === undefined) return '';
  const parts = [`M${round(first.x)} ${round(first.y)}`];
  rest.forEach((point, at) => {
    const next = rest[at + 1] ?? last;
    const middle = at === rest.length - 1 ? last : between(point, next);
    parts.push(`Q${round(point.x)} ${round(point.y)} ${round(middle.x)} ${round(middle.y)}`);
  });
  if (rest.length === 0) parts.push(`L${round(last.x)} ${round(last.y)}`);
  return parts.join('');
}

const between = (one: { x: number; y: number }, other: { x: number; y: number }) => ({
  x: (one.x + other.x) / 2,
  y: (one.y + other.y) / 2,
});

/** @param oneSided whether only the candidate's values are shown, as of one profile */
export function placeCallGraph(pruned: PrunedGraph, unit: UnitOf, oneSided: boolean): PlacedGraph {
  const { whole } = pruned;
  const graph = new Graph({ directed: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 16, edgesep: 8, ranksep: 42, marginx: 12, marginy: 12 });
  graph.setDefaultEdgeLabel(() => ({}));
  const drawn = pruned.nodes.map((node) => {
    const lines = linesOf(node, whole, unit, oneSided);
    return { ...node, lines, ...sizeOf(node, whole, lines) };
  });
  for (const { name, width, height } of drawn) graph.setNode(String(name), { width, height });
  for (const { caller, callee, weight } of pruned.edges)
    graph.setEdge(String(caller), String(callee), {
      // Heavy calls are drawn short and straight.
      weight: whole > 0 ? 1 + Math.round((99 * weight) / whole) : 1,
    });
  layout(graph);
  const nodes = drawn.map((node): PlacedNode => {
    const { x, y, rank } = graph.node(String(node.name)) as { x: number; y: number; rank?: number };
    return { ...node, x: x - node.width / 2, y: y - node.height / 2, rank: rank ?? y };
  });
  const edges = pruned.edges.map((edge): PlacedEdge => {
    const { points } = graph.edge(String(edge.caller), String(edge.callee)) as {
      points: { x: number; y: number }[];
    };
    const middle = points[Math.floor(points.length / 2)] ?? { x: 0, y: 0 };
    return {
      ...edge,
      path: pathThrough(points),
      linePx: Math.max(1, round(whole > 0 ? (MOST_LINE_PX * edge.weight) / whole : 1)),
      ...middle,
      value: valueText(edge.base, edge.candidate, unit, oneSided),
    };
  });
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return { width: Math.ceil(width), height: Math.ceil(height), nodes, edges };
}
