import { describe, expect, it } from 'vitest';
import { NODE_HEIGHT, NODE_WIDTH, layOutServiceMap } from './service-map-layout';

const edge = (from: string, to: string) => ({ from, to });
const layers = (ids: string[], edges: [string, string][]) => {
  const { nodes } = layOutServiceMap(
    ids,
    edges.map(([from, to]) => edge(from, to)),
  );
  return Object.fromEntries([...nodes].map(([id, { layer }]) => [id, layer]));
};

describe('layOutServiceMap', () => {
  it('places callees below callers by the longest path', () => {
    expect(
      layers(
        ['gate', 'api', 'store'],
        [
          ['gate', 'api'],
          ['gate', 'store'],
          ['api', 'store'],
        ],
      ),
    ).toEqual({ gate: 0, api: 1, store: 2 });
  });
  it('routes a long edge around the services between', () => {
    const { lines, nodes } = layOutServiceMap(
      ['gate', 'api', 'store'],
      [edge('gate', 'api'), edge('api', 'store'), edge('gate', 'store')],
    );
    const long = lines[2]!;
    expect(long).toHaveLength(4);
    expect(Math.abs(long[1]!.x - nodes.get('api')!.x)).toBeGreaterThan(NODE_WIDTH / 2);
  });
  it('routes long edges to the same service through one lane', () => {
    const { lines } = layOutServiceMap(
      ['gate', 'api', 'cache', 'store'],
      [
        edge('gate', 'api'),
        edge('api', 'cache'),
        edge('cache', 'store'),
        edge('gate', 'store'),
        edge('api', 'store'),
      ],
    );
    const [fromGate, fromApi] = lines.slice(3);
    expect(fromGate).toHaveLength(6);
    expect(fromApi!.slice(1)).toEqual(fromGate!.slice(3));
  });
  it('accepts cycles and calls of a service to itself', () => {
    const map = layOutServiceMap(['a', 'b'], [edge('a', 'b'), edge('b', 'a'), edge('a', 'a')]);
    expect([...map.back]).toEqual([1]);
    expect(map.lines[2]).toEqual([]);
    expect(map.nodes.get('b')!.layer).toBe(1);
  });
  it('does not overlap services', () => {
    const ids = ['gate', ...Array.from({ length: 12 }, (_, at) => `shard-${at}`)];
    const { nodes, width } = layOutServiceMap(
      ids,
      ids.slice(1).map((id) => edge('gate', id)),
    );
    const places = ids.slice(1).map((id) => nodes.get(id)!.x);
    const sorted = places.toSorted((a, b) => a - b);
    sorted.slice(1).forEach((x, at) => expect(x - sorted[at]!).toBeGreaterThanOrEqual(NODE_WIDTH));
    expect(sorted[0]! - NODE_WIDTH / 2).toBeGreaterThanOrEqual(0);
    expect(sorted.at(-1)! + NODE_WIDTH / 2).toBeLessThanOrEqual(width);
  });
  it('places services without calls in rows below the others', () => {
    const ids = ['gate', 'api', ...Array.from({ length: 20 }, (_, at) => `quiet-${at}`)];
    const { nodes, width, height } = layOutServiceMap(ids, [
      edge('gate', 'api'),
      edge('api', 'api'),
    ]);
    expect(width).toBeLessThan(1400);
    expect(nodes.get('gate')!.x).toBeCloseTo(width / 2);
    const rows = new Set(ids.slice(2).map((id) => nodes.get(id)!.y));
    expect(rows.size).toBe(4);
    expect(Math.min(...rows)).toBeGreaterThan(nodes.get('api')!.y + NODE_HEIGHT);
    expect(Math.max(...rows) + NODE_HEIGHT).toBeLessThan(height);
    expect(layOutServiceMap(['b', 'a'], []).nodes.get('b')!.x).toBeGreaterThan(NODE_WIDTH / 2);
  });
  it('stays narrow when many long edges lead to the same services', () => {
    const chain = Array.from({ length: 30 }, (_, at) => `s${at}`);
    const all = chain.flatMap((from, at) => chain.slice(at + 1).map((to) => edge(from, to)));
    expect(layOutServiceMap(chain, all).width).toBeLessThan(30 * NODE_WIDTH);
  });
  it('returns no nodes without services and no line for a call of an unknown one', () => {
    expect(layOutServiceMap([], []).nodes.size).toBe(0);
    expect(layOutServiceMap(['a'], [edge('a', 'gone')]).lines).toEqual([[]]);
  });
});
