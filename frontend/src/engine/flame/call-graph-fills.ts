/**
 * The colors of the call graph of a comparison: fills for the change of each function and call, as
 * in the flame graph. Significance comes from the function table. The size of a call is not tested,
 * so a call has the significance of the function that it calls.
 */
import { FILL, STATE, changeFill } from '../format/change-class';
import type { FunctionTable } from './function-table';
import type { PrunedGraph } from './call-graph-pruning';
import { isFromCallees } from './own-cost';
import type { Scales } from './tree-draft';

export type CallGraphFills = {
  /** One of `FILL` by the name id of a function. */
  nodes: ReadonlyMap<number, number>;
  /** One of `FILL` by the {@link callKey} of caller and callee. */
  calls: ReadonlyMap<string, number>;
};

export const callKey = (caller: number, callee: number): string => `${caller} ${callee}`;

/** @param basis index of the normalization in the table */
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

/** Returns the fill of a function by the change of its own cost, as in the flame graph. */
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

/** Returns the direction of the callee's change if the call changed in the same one, else noise. */
function stateOfCall(state: number, base: number, candidate: number): number {
  const isMore = state === STATE.more || state === STATE.onlyCandidate;
  const isLess = state === STATE.less || state === STATE.onlyBase;
  if (isMore && candidate > base) return STATE.more;
  return isLess && candidate < base ? STATE.less : STATE.noise;
}
