/**
 * An intermediate tree between the data and the drawn frames: flat columns, every parent before its
 * children, siblings in any order. Filters and the sandwich read one draft and write another;
 * `framesOf` makes the drawn frames of the last one.
 */
import { STATE } from '../format/change-class';
import type { DiffTree } from './diff-tree';
import { NO_NODE } from './diff-part';

/** Raw self values plus the attributed cost of the runtime. */
export type OwnCost = { base: Float64Array<ArrayBuffer>; candidate: Float64Array<ArrayBuffer> };

export type Draft = {
  count: number;
  parent: Uint32Array<ArrayBuffer>;
  name: Uint32Array<ArrayBuffer>;
  category: Uint8Array<ArrayBuffer>;
  runtime: Uint8Array<ArrayBuffer>;
  /** The id of the node that this is exactly; NO_NODE if it was merged or filtered. */
  source: Uint32Array<ArrayBuffer>;
  baseSelf: Float64Array<ArrayBuffer>;
  baseTotal: Float64Array<ArrayBuffer>;
  candidateSelf: Float64Array<ArrayBuffer>;
  candidateTotal: Float64Array<ArrayBuffer>;
  hiddenNodes: Uint32Array<ArrayBuffer>;
  hiddenBase: Float64Array<ArrayBuffer>;
  hiddenCandidate: Float64Array<ArrayBuffer>;
  state: Uint8Array<ArrayBuffer>;
  low: Float32Array<ArrayBuffer>;
  high: Float32Array<ArrayBuffer>;
  q: Float32Array<ArrayBuffer>;
  /** The number of distinct stacks; 0 if unknown. */
  stacks: Uint32Array<ArrayBuffer>;
  /** Own costs, if they cannot be computed from the rows: for collapsed callers. */
  own?: OwnCost;
};

/** Factors from raw to shown values of the selected basis. */
export type Scales = { base: number; candidate: number };

/** Returns the tree as a draft, without copies. @param basis index in `header.normalizations` */
export function draftOfTree(tree: DiffTree, basis: number): Draft {
  const { rows } = tree;
  const { state, low, high, q } = rows.judgements[basis]!;
  return {
    count: tree.count,
    parent: tree.parent,
    name: rows.name,
    category: rows.category,
    runtime: rows.runtime,
    source: rows.nodeId,
    baseSelf: rows.baseSelf,
    baseTotal: rows.baseTotal,
    candidateSelf: rows.candidateSelf,
    candidateTotal: rows.candidateTotal,
    hiddenNodes: tree.hiddenNodes,
    hiddenBase: tree.hiddenBase,
    hiddenCandidate: tree.hiddenCandidate,
    state,
    low,
    high,
    q,
    stacks: rows.stacks,
  };
}

/** Builds a draft node by node, for trees whose size is not known before. */
export class DraftBuilder {
  count = 0;
  #draft: Draft;
  /** The number of rows that were joined into each node. */
  #parts: Uint32Array<ArrayBuffer>;
  /** The weight of the largest row in each node, whose category is that of the node. */
  #largest: Float64Array<ArrayBuffer>;

  constructor(capacity: number) {
    this.#draft = emptyDraft(Math.max(16, capacity));
    this.#parts = new Uint32Array(this.#draft.parent.length);
    this.#largest = new Float64Array(this.#draft.parent.length);
  }

  get columns(): Draft {
    return this.#draft;
  }

  nameOf(node: number): number {
    return this.#draft.name[node]!;
  }

  parentOf(node: number): number {
    return this.#draft.parent[node]!;
  }

  add(parent: number, name: number): number {
    if (this.count === this.#draft.parent.length) this.#grow();
    const node = this.count++;
    this.#draft.parent[node] = parent;
    this.#draft.name[node] = name;
    this.#draft.source[node] = NO_NODE;
    return node;
  }

  /** Joins `row` of another draft into a node; `weight` is its shown value on both sides. */
  join(node: number, from: Draft, row: number, weight: number): void {
    const draft = this.#draft;
    const parts = this.#parts[node]!;
    const first = parts === 0;
    this.#parts[node] = parts + 1;
    const [known, more] = [draft.stacks[node]!, from.stacks[row]!];
    draft.stacks[node] = first ? more : known === 0 || more === 0 ? 0 : known + more;
    if (first) {
      draft.source[node] = from.source[row]!;
      setVerdict(draft, node, from, row);
    }
    if (!first && weight <= this.#largest[node]!) return;
    this.#largest[node] = weight;
    draft.category[node] = from.category[row]!;
    draft.runtime[node] = from.runtime[row]!;
  }

  /**
   * Computes totals from self values and sets test results. A node of several rows has no result,
   * because the interval of a sum needs the values of every profile, and the page has only sums.
   * @param whole whether the rows of a node are complete; a node of one such row has its result
   */
  finish(whole: (node: number) => boolean): Draft {
    const draft = cutDraft(this.#draft, this.count);
    for (let node = this.count - 1; node >= 0; node--) {
      draft.baseTotal[node]! += draft.baseSelf[node]! + draft.hiddenBase[node]!;
      draft.candidateTotal[node]! += draft.candidateSelf[node]! + draft.hiddenCandidate[node]!;
      const parent = draft.parent[node]!;
      if (parent === NO_NODE) continue;
      draft.baseTotal[parent]! += draft.baseTotal[node]!;
      draft.candidateTotal[parent]! += draft.candidateTotal[node]!;
    }
    const only = onlyChildren(draft);
    for (let node = this.count - 1; node >= 0; node--) {
      const intact = whole(node);
      if (this.#parts[node] === 1 && intact) continue;
      draft.source[node] = NO_NODE;
      const child = only[node]!;
      const alike = child !== NO_NODE && containsOnly(draft, node, child);
      if (!intact) draft.stacks[node] = alike ? draft.stacks[child]! : 0;
      if (alike) setVerdict(draft, node, draft, child);
      else clearVerdict(draft, node);
    }
    return draft;
  }

  #grow(): void {
    const capacity = this.#draft.parent.length * 2;
    this.#draft = cutDraft(this.#draft, capacity);
    this.#parts = resized(this.#parts, capacity);
    this.#largest = resized(this.#largest, capacity);
  }
}

function setVerdict(draft: Draft, node: number, from: Draft, row: number): void {
  draft.state[node] = from.state[row]!;
  draft.low[node] = from.low[row]!;
  draft.high[node] = from.high[row]!;
  draft.q[node] = from.q[row]!;
}

function clearVerdict(draft: Draft, node: number): void {
  draft.state[node] = STATE.noise;
  draft.low[node] = NaN;
  draft.high[node] = NaN;
  draft.q[node] = NaN;
}

/** Returns the child of each node that has exactly one; NO_NODE for the others. */
function onlyChildren(draft: Draft): Uint32Array {
  const only = new Uint32Array(draft.count).fill(NO_NODE);
  const children = new Uint8Array(draft.count);
  for (let node = 1; node < draft.count; node++) {
    const parent = draft.parent[node]!;
    only[parent] = children[parent] === 0 ? node : NO_NODE;
    children[parent] = 1;
  }
  return only;
}

/** Returns whether a node has only the cost of its child; both then have the same test result. */
function containsOnly(draft: Draft, node: number, child: number): boolean {
  return (
    draft.baseTotal[node] === draft.baseTotal[child] &&
    draft.candidateTotal[node] === draft.candidateTotal[child] &&
    draft.hiddenNodes[node] === 0
  );
}

function emptyDraft(length: number): Draft {
  return {
    count: 0,
    parent: new Uint32Array(length),
    name: new Uint32Array(length),
    category: new Uint8Array(length),
    runtime: new Uint8Array(length),
    source: new Uint32Array(length),
    baseSelf: new Float64Array(length),
    baseTotal: new Float64Array(length),
    candidateSelf: new Float64Array(length),
    candidateTotal: new Float64Array(length),
    hiddenNodes: new Uint32Array(length),
    hiddenBase: new Float64Array(length),
    hiddenCandidate: new Float64Array(length),
    state: new Uint8Array(length),
    low: new Float32Array(length).fill(NaN),
    high: new Float32Array(length).fill(NaN),
    q: new Float32Array(length).fill(NaN),
    stacks: new Uint32Array(length),
  };
}

type Resizable =
  | Uint32Array<ArrayBuffer>
  | Uint8Array<ArrayBuffer>
  | Float64Array<ArrayBuffer>
  | Float32Array<ArrayBuffer>;

function resized<Column extends Resizable>(column: Column, length: number): Column {
  if (length <= column.length) return column.slice(0, length) as Column;
  const make = column.constructor as new (length: number) => Column;
  const larger = new make(length);
  larger.set(column);
  return larger;
}

function cutDraft(draft: Draft, length: number): Draft {
  return {
    count: length,
    parent: resized(draft.parent, length),
    name: resized(draft.name, length),
    category: resized(draft.category, length),
    runtime: resized(draft.runtime, length),
    source: resized(draft.source, length),
    baseSelf: resized(draft.baseSelf, length),
    baseTotal: resized(draft.baseTotal, length),
    candidateSelf: resized(draft.candidateSelf, length),
    candidateTotal: resized(draft.candidateTotal, length),
    hiddenNodes: resized(draft.hiddenNodes, length),
    hiddenBase: resized(draft.hiddenBase, length),
    hiddenCandidate: resized(draft.hiddenCandidate, length),
    state: resized(draft.state, length),
    low: resized(draft.low, length),
    high: resized(draft.high, length),
    q: resized(draft.q, length),
    stacks: resized(draft.stacks, length),
  };
}

export function shownWeight(draft: Draft, row: number, scales: Scales): number {
  return draft.baseTotal[row]! * scales.base + draft.candidateTotal[row]! * scales.candidate;
}
