/**
 * The colors of a call graph of two sides: what happened to each function and call, with the fills of the flame graph. The
 * significance is that of the table of functions; a call has no test of its size, so it follows the function that it calls.
 */
import { FILL, STATE, changeFill } from '../format/change-class';
import type { FunctionTable } from './function-table';
import type { PrunedGraph } from './call-graph-pruning';
import { isFromCallees } from './own-cost';
import type { Scales } from './tree-draft';

export type CallGraphFills = {
  /** By name of a function: one of `FILL`. */
  nodes: ReadonlyMap<number, number>;
  /** By caller and callee, as {@link callKey}. */
  calls: ReadonlyMap<string, number>;
};

export const callKey = (caller: number, callee: number): string => `${caller} ${callee}`;

/** @param basis place of the normalization in the table */
export function fillCallGraph(
  { nodes, edges }: PrunedGraph,
  table: FunctionTable,
  basis: number,
  scales: Scales,
): CallGraphFills {
  const wanted = new Map(nodes.map(({ text, name }) => [text, name]));
  const state = new Map<number, number>();
  const fills = new Map<number, number>();
  for (let row = 0; row < table.count; row++) {
    const name = wanted.get(table.names.text(table.name[row]!));
    if (name === undefined) continue;
    const found = table.judgements[basis]?.state[row] ?? STATE.noise;
    state.set(name, found);
    fills.set(name, fillOfRow(table, row, found, scales));
  }
  const calls = edges.map(({ caller, callee, base, candidate }): [string, number] => {
    const of = state.get(callee) ?? STATE.noise;
    return [callKey(caller, callee), changeFill(stateOfCall(of, base, candidate), base, candidate)];
  });
  return { nodes: fills, calls: new Map(calls) };
}

/** As of a frame of the flame graph: the strength is that of the function's own change. */
function fillOfRow(table: FunctionTable, row: number, state: number, scales: Scales): number {
  const base = (table.baseSelf[row]! + table.baseAttributed[row]!) * scales.base;
  const candidate =
    (table.candidateSelf[row]! + table.candidateAttributed[row]!) * scales.candidate;
  const total = table.candidateTotal[row]! * scales.candidate - table.baseTotal[row]! * scales.base;
  if (isFromCallees(candidate - base, total)) {
    if (state === STATE.more) return FILL.moreInCallees;
    if (state === STATE.less) return FILL.lessInCallees;
  }
  return changeFill(state, base, candidate);
}

/** The state of the callee, if the call changed in the same direction. */
function stateOfCall(state: number, base: number, candidate: number): number {
  const isMore = state === STATE.more || state === STATE.onlyCandidate;
  const isLess = state === STATE.less || state === STATE.onlyBase;
  if (isMore && candidate > base) return STATE.more;
  return isLess && candidate < base ? STATE.less : STATE.noise;
}
