/**
 * The received part of a diff's tree: the largest nodes come first, the others are merged when they
 * arrive, and subtrees are loaded on demand. Nodes are in preorder, so a subtree is a range. Each
 * node has the exact value and number of the nodes below it that were not sent. Values are raw.
 */
import { ColumnError } from '../format/column-file';
import type { DiffHeader, DiffPart, DiffRows, RowVerdict } from './diff-part';
import { NO_NODE } from './diff-part';
import type { NameTable } from './name-table';
import { joinNames } from './name-table';

export type DiffTree = {
  header: DiffHeader;
  names: NameTable;
  rows: DiffRows;
  count: number;
  /** The row of the parent; NO_NODE for the root, which is row 0. */
  parent: Uint32Array<ArrayBuffer>;
  /** The row after the last row of the subtree. */
  end: Uint32Array<ArrayBuffer>;
  depth: Uint32Array<ArrayBuffer>;
  /** Unsent descendants whose nearest sent ancestor is the node: their number and raw totals. */
  hiddenNodes: Uint32Array<ArrayBuffer>;
  hiddenBase: Float64Array<ArrayBuffer>;
  hiddenCandidate: Float64Array<ArrayBuffer>;
  /** The number of all unsent nodes. */
  hiddenTotal: number;
};

/**
 * Links rows to their parents by walking the preorder with a stack.
 * @throws ColumnError `bad-tree` for an orphan
 */
function linkRows(rows: DiffRows): Pick<DiffTree, 'parent' | 'end' | 'depth'> {
  const count = rows.nodeId.length;
  const parent = new Uint32Array(count);
  const end = new Uint32Array(count);
  const depth = new Uint32Array(count);
  const stack = new Uint32Array(count);
  let height = 0;
  for (let row = 0; row < count; row++) {
    const wanted = rows.parentId[row]!;
    while (height > 0 && rows.nodeId[stack[height - 1]!] !== wanted) end[stack[--height]!] = row;
    if (height === 0 && row > 0) {
      throw new ColumnError(
        'bad-tree',
        `The parent ${wanted} of node ${rows.nodeId[row]} is missing`,
      );
    }
    parent[row] = height === 0 ? NO_NODE : stack[height - 1]!;
    depth[row] = height;
    stack[height++] = row;
  }
  while (height > 0) end[stack[--height]!] = count;
  return { parent, end, depth };
}

/** Returns the unsent part below each node: size and values minus those of its sent children. */
function countHidden(
  rows: DiffRows,
  parent: Uint32Array,
): Pick<DiffTree, 'hiddenNodes' | 'hiddenBase' | 'hiddenCandidate' | 'hiddenTotal'> {
  const count = rows.nodeId.length;
  const missing = new Float64Array(count);
  const hiddenNodes = new Uint32Array(count);
  const hiddenBase = new Float64Array(count);
  const hiddenCandidate = new Float64Array(count);
  for (let row = 0; row < count; row++) {
    missing[row]! += rows.nodeSize[row]! - 1;
    hiddenBase[row]! += rows.baseTotal[row]! - rows.baseSelf[row]!;
    hiddenCandidate[row]! += rows.candidateTotal[row]! - rows.candidateSelf[row]!;
    const above = parent[row]!;
    if (above === NO_NODE) continue;
    missing[above]! -= rows.nodeSize[row]!;
    hiddenBase[above]! -= rows.baseTotal[row]!;
    hiddenCandidate[above]! -= rows.candidateTotal[row]!;
  }
  let hiddenTotal = 0;
  for (let row = 0; row < count; row++) {
    if (missing[row]! < 0)
      throw new ColumnError(
        'bad-tree',
        `Node ${rows.nodeId[row]} has more descendants than declared`,
      );
    hiddenNodes[row] = missing[row]!;
    hiddenTotal += missing[row]!;
    // Without hidden nodes, the difference is only an error of floating-point arithmetic.
    hiddenBase[row] = missing[row]! > 0 ? Math.max(0, hiddenBase[row]!) : 0;
    hiddenCandidate[row] = missing[row]! > 0 ? Math.max(0, hiddenCandidate[row]!) : 0;
  }
  return { hiddenNodes, hiddenBase, hiddenCandidate, hiddenTotal };
}

function treeOf(header: DiffHeader, names: NameTable, rows: DiffRows): DiffTree {
  if (rows.nodeId.length === 0 || rows.nodeId[0] !== 0)
    throw new ColumnError('bad-tree', 'The root is missing');
  const links = linkRows(rows);
  return {
    header,
    names,
    rows,
    count: rows.nodeId.length,
    ...links,
    ...countHidden(rows, links.parent),
  };
}

/** Makes the tree of the first (or only) part. @throws ColumnError if the rows are not a tree */
export function openTree(part: DiffPart): DiffTree {
  const { names, renumbered } = joinNames([part.names]);
  return treeOf(part.header, names, renamed(part.rows, renumbered[0]!));
}

function renamed(rows: DiffRows, numbers: Uint32Array): DiffRows {
  return { ...rows, name: rows.name.map((name) => numbers[name]!) };
}

/** Returns the merged order as indexes into left + right. A node in both is taken from the left. */
function interleave(left: Uint32Array, right: Uint32Array): Uint32Array {
  const order = new Uint32Array(left.length + right.length);
  let at = 0;
  let a = 0;
  let b = 0;
  while (a < left.length || b < right.length) {
    const fromLeft = b >= right.length || (a < left.length && left[a]! <= right[b]!);
    if (fromLeft && b < right.length && left[a] === right[b]) b++;
    order[at++] = fromLeft ? a++ : left.length + b++;
  }
  return order.subarray(0, at);
}

type AnyColumn =
  | Uint32Array<ArrayBuffer>
  | Uint8Array<ArrayBuffer>
  | Float64Array<ArrayBuffer>
  | Float32Array<ArrayBuffer>;

function gather<Column extends AnyColumn>(left: Column, right: Column, order: Uint32Array): Column {
  const make = left.constructor as new (length: number) => Column;
  const merged = new make(order.length);
  const split = left.length;
  for (let row = 0; row < order.length; row++) {
    const from = order[row]!;
    merged[row] = from < split ? left[from]! : right[from - split]!;
  }
  return merged;
}

function mergeRows(left: DiffRows, right: DiffRows): DiffRows {
  const order = interleave(left.nodeId, right.nodeId);
  return {
    nodeId: gather(left.nodeId, right.nodeId, order),
    parentId: gather(left.parentId, right.parentId, order),
    name: gather(left.name, right.name, order),
    category: gather(left.category, right.category, order),
    runtime: gather(left.runtime, right.runtime, order),
    baseSelf: gather(left.baseSelf, right.baseSelf, order),
    baseTotal: gather(left.baseTotal, right.baseTotal, order),
    candidateSelf: gather(left.candidateSelf, right.candidateSelf, order),
    candidateTotal: gather(left.candidateTotal, right.candidateTotal, order),
    nodeSize: gather(left.nodeSize, right.nodeSize, order),
    stacks: gather(left.stacks, right.stacks, order),
    judgements: left.judgements.map((judgement, basis): RowVerdict => {
      const other = right.judgements[basis]!;
      return {
        state: gather(judgement.state, other.state, order),
        low: gather(judgement.low, other.low, order),
        high: gather(judgement.high, other.high, order),
        q: gather(judgement.q, other.q, order),
      };
    }),
  };
}

/**
 * Returns a tree with another part merged in. The given tree is not changed.
 * @throws ColumnError `bad-tree` if the part is of another diff or the parent of a row is unknown
 */
export function mergePart(tree: DiffTree, part: DiffPart): DiffTree {
  const known = tree.header.normalizations.map(({ id }) => id).join(' ');
  const given = part.header.normalizations.map(({ id }) => id).join(' ');
  if (known !== given || tree.header.categories.join(' ') !== part.header.categories.join(' ')) {
    throw new ColumnError('bad-tree', 'The part belongs to another diff');
  }
  const { names, renumbered } = joinNames([tree.names, part.names]);
  const left = renamed(tree.rows, renumbered[0]!);
  return treeOf(tree.header, names, mergeRows(left, renamed(part.rows, renumbered[1]!)));
}

/** Returns the index of the normalization with that id, or of the default one. */
export function normalizationIndex(
  { normalizations, default_normalization }: DiffHeader,
  id: string,
): number {
  const find = (wanted: string) => normalizations.findIndex((each) => each.id === wanted);
  const found = find(id);
  return found >= 0 ? found : Math.max(0, find(default_normalization));
}
