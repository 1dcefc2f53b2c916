/**
 * The call graph of a diff or of one profile: functions and the calls between them, summed over all
 * stacks of the tree. With recursion, a function or call counts once per stack, so no sum exceeds
 * the whole. Values are raw.
 */
import { PairMap } from '../../lib/uint-pair-map';
import { NO_NODE } from './diff-part';
import type { DiffTree } from './diff-tree';

/** Values by name id; names that are not functions have zeros. */
export type CallGraphFunctions = {
  baseSelf: Float64Array<ArrayBuffer>;
  baseTotal: Float64Array<ArrayBuffer>;
  candidateSelf: Float64Array<ArrayBuffer>;
  candidateTotal: Float64Array<ArrayBuffer>;
  category: Uint8Array<ArrayBuffer>;
  runtime: Uint8Array<ArrayBuffer>;
  /** The number of distinct stacks; 0 if unknown. */
  stacks: Uint32Array<ArrayBuffer>;
};

/** A call, or a chain of calls through omitted functions (`indirect`). */
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
 * @param kept whether a name is shown; calls through other names count for the nearest shown caller
 */
export function sumCalls(tree: DiffTree, kept: (name: number) => boolean): Call[] {
  const { rows, parent } = tree;
  const calls: Call[] = [];
  const known = new PairMap(1024);
  const open: number[] = [];
  // The nearest shown row at or above each row, and 1 + the index of the call that a row entered.
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

/** Visits every row in preorder, except the root, which is not a function. */
function walk({ count, end }: DiffTree, { enter, leave }: Visitor): void {
  const stack: number[] = [];
  for (let row = 1; row < count; row++) {
    while (stack.length > 0 && end[stack[stack.length - 1]!]! <= row) leave(stack.pop()!);
    enter(row);
    stack.push(row);
  }
  while (stack.length > 0) leave(stack.pop()!);
}
