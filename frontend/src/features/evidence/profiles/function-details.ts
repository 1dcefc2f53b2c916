/** The details of one function: its values, and its callers and callees summed over all stacks. */
import { sumCalls, sumFunctions, type Call } from '../../../engine/flame/call-graph';
import type { DiffTree } from '../../../engine/flame/diff-tree';
import type { FunctionTable } from '../../../engine/flame/function-table';
import { rowAt, type FunctionRow, type Scaled } from './function-rows';

/** A caller or callee of the selected function, and the cost of the calls in the unit shown. */
export type Relative = { name: string; value: number };

export type CallIndex = {
  relativesOf: (name: string, scale: number) => { callers: Relative[]; callees: Relative[] };
  /** Returns the number of distinct stacks with a function; 0 if it is not known. */
  stacksOf: (name: string) => number;
};

export function indexCalls(tree: DiffTree): CallIndex {
  const calls = sumCalls(tree, () => true);
  const functions = sumFunctions(tree);
  const list = (
    of: 'caller' | 'callee',
    other: 'caller' | 'callee',
    id: number,
    scale: number,
  ): Relative[] =>
    calls
      .filter((call: Call) => call[of] === id && call.candidate > 0)
      .map((call) => ({ name: tree.names.text(call[other]), value: call.candidate * scale }))
      .sort((a, b) => b.value - a.value);
  return {
    relativesOf: (name, scale) => {
      const id = tree.names.find(name);
      if (id < 0) return { callers: [], callees: [] };
      return {
        callers: list('callee', 'caller', id, scale),
        callees: list('caller', 'callee', id, scale),
      };
    },
    stacksOf: (name) => functions.stacks[tree.names.find(name)] ?? 0,
  };
}

export function findRow(table: FunctionTable, scaled: Scaled, name: string): FunctionRow | null {
  const id = table.names.find(name);
  const index = id < 0 ? -1 : table.name.indexOf(id);
  return index < 0 ? null : rowAt(table, scaled, index);
}
