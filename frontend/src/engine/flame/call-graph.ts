/**
 * The call graph of a diff or of one profile: functions with the calls between them, summed over all stacks of the tree.
 * In recursion a function and a call count once a stack, so that no sum exceeds the whole. Values are raw.
 */
import { PairMap } from '../../lib/uint-pair-map';
import { NO_NODE } from './diff-part';
import type { DiffTree } from './diff-tree';

/** Of every name of the tree; names that are no function have zeros. */
export type CallGraphFunctions = {
  baseSelf: Float64Array<ArrayBuffer>;
  baseTotal: Float64Array<ArrayBuffer>;
  candidateSelf: Float64Array<ArrayBuffer>;
  candidateTotal: Float64Array<ArrayBuffer>;
  category: Uint8Array<ArrayBuffer>;
  runtime: Uint8Array<ArrayBuffer>;
  /** The number of distinct stacks; 0 when that is not known. */
  stacks: Uint32Array<ArrayBuffer>;
};

/** A call, or a chain of calls through functions that were left out (`indirect`). */
export type Call = {
  caller: number;
  callee: number;
  base: number;
  candidate: number;
  indirect: boolean;
};

/** Sums self and total values by name. */
export function sumFunctions(tree: DiffTree): CallGraphFunctions {
  const { rows, names } = tree;
  const sums = (): Float64Array<ArrayBuffer> => new Float64Array(names.count);
  const functions: CallGraphFunctions = {
    baseSelf: sums(),
    baseTotal: sums(),
    candidateSelf: sums(),
    candidateTotal: sums(),
    category: new Uint8Array(names.count),
    runtime: new Uint8Array(names.count),
    stacks: new Uint32Array(names.count),
  };
  const open = new Uint32Array(names.count);
  walk(tree, {
    enter(row) {
      const name = rows.name[row]!;
      functions.baseSelf[name]! += rows.baseSelf[row]!;
      functions.candidateSelf[name]! += rows.candidateSelf[row]!;
      if (open[name] === 0) {
        functions.baseTotal[name]! += rows.baseTotal[row]!;
        functions.candidateTotal[name]! += rows.candidateTotal[row]!;
        functions.stacks[name]! += rows.stacks[row]!;
      }
      open[name]! += 1;
      functions.category[name] = rows.category[row]!;
      functions.runtime[name] = rows.runtime[row]!;
    },
    leave(row) {
      open[rows.name[row]!]! -= 1;
    },
  });
  return functions;
}

/**
 * Sums the calls between functions.
 * @param kept a flag for each name that the graph shows; the calls of others are joined to their nearest caller that is shown.
 */
export function sumCalls(tree: DiffTree, kept: (name: number) => boolean): Call[] {
  const { rows, parent } = tree;
  const calls: Call[] = [];
  const known = new PairMap(1024);
  const open: number[] = [];
  // The nearest row that is shown at or above each row, and the call that a row entered: one more than its number.
  const shown = new Uint32Array(tree.count).fill(NO_NODE);
  const entered = new Uint32Array(tree.count);
  walk(tree, {
    enter(row) {
      const above = parent[row]!;
      const from = above === NO_NODE ? NO_NODE : shown[above]!;
      const callee = rows.name[row]!;
      shown[row] = kept(callee) ? row : from;
      if (shown[row] !== row || from === NO_NODE) return;
      const caller = rows.name[from]!;
      const number = known.get(caller, callee) ?? calls.length;
      if (number === calls.length) {
        known.set(caller, callee, number);
        calls.push({ caller, callee, base: 0, candidate: 0, indirect: false });
      }
      const call = calls[number]!;
      entered[row] = number + 1;
      open[number] = (open[number] ?? 0) + 1;
      call.indirect ||= from !== above;
      if (open[number] > 1) return;
      call.base += rows.baseTotal[row]!;
      call.candidate += rows.candidateTotal[row]!;
    },
    leave(row) {
      const number = entered[row]! - 1;
      if (number >= 0) open[number]! -= 1;
    },
  });
  return calls;
}

type Visitor = { enter: (row: number) => void; leave: (row: number) => void };

/** Visits every row but the root, which is no function, in preorder. */
function walk({ count, end }: DiffTree, { enter, leave }: Visitor): void {
  const stack: number[] = [];
  for (let row = 1; row < count; row++) {
    while (stack.length > 0 && end[stack[stack.length - 1]!]! <= row) leave(stack.pop()!);
    enter(row);
    stack.push(row);
  }
  while (stack.length > 0) leave(stack.pop()!);
}
