/** Arrow keys in a call graph: to the heaviest caller or callee, or to the next in the row. */
import type { PlacedGraph, PlacedNode } from './call-graph-layout';

type Direction = 'up' | 'down' | 'left' | 'right';

export const DIRECTIONS: Readonly<Record<string, Direction>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
};

/** @returns the name of the next function, or null at the end. */
export function nextNode(graph: PlacedGraph, from: number, direction: Direction): number | null {
  if (direction === 'up' || direction === 'down') {
    const [near, far] =
      direction === 'up' ? (['callee', 'caller'] as const) : (['caller', 'callee'] as const);
    const calls = graph.edges.filter((edge) => edge[near] === from && edge[far] !== from);
    const heaviest = calls.sort((a, b) => b.weight - a.weight)[0];
    return heaviest ? heaviest[far] : null;
  }
  const here = graph.nodes.find(({ name }) => name === from);
  if (here === undefined) return null;
  const sign = direction === 'right' ? 1 : -1;
  const middle = (node: PlacedNode): number => node.x + node.width / 2;
  const beside = graph.nodes
    .filter((node) => node.rank === here.rank && sign * (middle(node) - middle(here)) > 0)
    .sort((a, b) => sign * (middle(a) - middle(b)));
  return beside[0]?.name ?? null;
}
