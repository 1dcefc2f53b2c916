import { describe, expect, it } from 'vitest';
import { FILL, STATE } from '../format/change-class';
import { callKey, fillCallGraph } from './call-graph-fills';
import type { GraphEdge, GraphNode, PrunedGraph } from './call-graph-pruning';
import type { FunctionTable } from './function-table';

const NAMES = ['main', 'grow', 'shrink', 'calm'];
const STATES = [STATE.more, STATE.more, STATE.less, STATE.noise];
const BASE = [0, 10, 40, 20];
const CANDIDATE = [0, 60, 5, 21];

const sides = (self: number, total: number) => ({ self, total });
const GRAPH: PrunedGraph = {
  nodes: NAMES.map((text, name): GraphNode => ({
    name,
    text,
    category: '',
    runtime: false,
    base: sides(BASE[name]!, BASE[name]!),
    candidate: sides(CANDIDATE[name]!, CANDIDATE[name]!),
  })),
  edges: [1, 2, 3].map((callee): GraphEdge => ({
    caller: 0,
    callee,
    base: BASE[callee]!,
    candidate: CANDIDATE[callee]!,
    weight: 1,
    indirect: false,
  })),
  whole: 1,
  leftOut: { functions: 0, calls: 0, largest: 0 },
};

const TABLE = {
  count: NAMES.length,
  name: Uint32Array.from([0, 1, 2, 3]),
  names: { text: (at: number) => NAMES[at]! },
  baseSelf: Float64Array.from(BASE),
  candidateSelf: Float64Array.from(CANDIDATE),
  baseAttributed: new Float64Array(4),
  candidateAttributed: new Float64Array(4),
  baseTotal: Float64Array.from([70, 10, 40, 20]),
  candidateTotal: Float64Array.from([86, 60, 5, 21]),
  judgements: [{ state: Uint8Array.from(STATES) }],
} as unknown as FunctionTable;

describe('fillCallGraph', () => {
  const { nodes, calls } = fillCallGraph(GRAPH, TABLE, 0, { base: 1, candidate: 1 });

  it('fills a cause darker than its callers, as in the flame graph', () => {
    expect(nodes.get(0)).toBe(FILL.moreInCallees);
    expect(nodes.get(1)).toBe(FILL.more + 3);
    expect(nodes.get(2)).toBe(FILL.less + 3);
    expect(nodes.get(3)).toBe(FILL.noise);
  });

  it('fills an edge by its callee', () => {
    expect(calls.get(callKey(0, 1))).toBe(FILL.more + 3);
    expect(calls.get(callKey(0, 2))).toBe(FILL.less + 3);
    expect(calls.get(callKey(0, 3))).toBe(FILL.noise);
  });

  it('shows no change on an edge that changes against the tested direction', () => {
    const turned = { ...GRAPH, edges: [{ ...GRAPH.edges[0]!, base: 60, candidate: 10 }] };
    const found = fillCallGraph(turned, TABLE, 0, { base: 1, candidate: 1 });
    expect(found.calls.get(callKey(0, 1))).toBe(FILL.noise);
  });
});
