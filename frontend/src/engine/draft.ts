/**
 * A tree on its way from the data to the screen: flat columns, every parent before its children, no order among siblings.
 * Filters and the sandwich read one draft and write another; `frames` turns the last one into what is drawn.
 */
import { STATE } from './change';
import type { DiffTree } from './diff-tree';
import { NO_NODE } from './diff-part';

export type Draft = {
  count: number;
  parent: Uint32Array<ArrayBuffer>;
  name: Uint32Array<ArrayBuffer>;
  category: Uint8Array<ArrayBuffer>;
  runtime: Uint8Array<ArrayBuffer>;
  /** Id of the node when this is exactly that node; NO_NODE when it was put together. */
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
};

/** The factors from raw to shown values of the chosen basis. */
export type Scales = { base: number; candidate: number };

/** The tree itself as a draft: no copies. @param basis position in the header's bases. */
export function draftOfTree(tree: DiffTree, basis: number): Draft {
  const { rows } = tree;
  const { state, low, high } = rows.judgements[basis]!;
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
  };
}

/** Columns that grow with each node, for trees whose size is not known before they are built. */
export class DraftBuilder {
  count = 0;
  #draft: Draft;
  /** How many nodes were put into each, and the sum of their judged changes (shown units, more is positive). */
  #parts: Uint32Array<ArrayBuffer>;
  #judged: Float64Array<ArrayBuffer>;
  /** The largest part, whose category stands for all. */
  #largest: Float64Array<ArrayBuffer>;

  constructor(capacity: number) {
    this.#draft = emptyDraft(Math.max(16, capacity));
    this.#parts = new Uint32Array(this.#draft.parent.length);
    this.#judged = new Float64Array(this.#draft.parent.length);
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

  /**
   * Says that `row` of another draft is (a part of) this node.
   * @param judged the part's judged change in shown units; `weight` its shown size on both sides together.
   */
  join(node: number, from: Draft, row: number, judged: number, weight: number): void {
    const draft = this.#draft;
    const known = this.#parts[node]!;
    const first = known === 0;
    this.#parts[node] = known + 1;
    this.#judged[node]! += judged;
    draft.source[node] = first ? from.source[row]! : NO_NODE;
    draft.state[node] = first ? from.state[row]! : STATE.noise;
    draft.low[node] = first ? from.low[row]! : NaN;
    draft.high[node] = first ? from.high[row]! : NaN;
    if (!first && weight <= this.#largest[node]!) return;
    this.#largest[node] = weight;
    draft.category[node] = from.category[row]!;
    draft.runtime[node] = from.runtime[row]!;
  }

  /**
   * Adds the totals up from the self values, and judges what was put together.
   * @param whole whether a node of one part is that part unchanged (its interval then still holds).
   */
  finish(scales: Scales, whole: (node: number) => boolean): Draft {
    const draft = cutDraft(this.#draft, this.count);
    for (let node = this.count - 1; node >= 0; node--) {
      draft.baseTotal[node]! += draft.baseSelf[node]! + draft.hiddenBase[node]!;
      draft.candidateTotal[node]! += draft.candidateSelf[node]! + draft.hiddenCandidate[node]!;
      const parent = draft.parent[node]!;
      if (parent === NO_NODE) continue;
      draft.baseTotal[parent]! += draft.baseTotal[node]!;
      draft.candidateTotal[parent]! += draft.candidateTotal[node]!;
    }
    for (let node = 0; node < this.count; node++) {
      if (this.#parts[node] === 1 && whole(node)) continue;
      draft.source[node] = NO_NODE;
      draft.low[node] = NaN;
      draft.high[node] = NaN;
      draft.state[node] = judgeParts(draft, node, this.#judged[node]!, scales);
    }
    return draft;
  }

  #grow(): void {
    const capacity = this.#draft.parent.length * 2;
    this.#draft = cutDraft(this.#draft, capacity);
    this.#parts = resized(this.#parts, capacity);
    this.#judged = resized(this.#judged, capacity);
    this.#largest = resized(this.#largest, capacity);
  }
}

/**
 * The state of a node that was put together. There are no single profiles here to compute an interval from, so it takes the
 * side of its parts: changed only if what was judged outside the noise makes up at least half of its change, in its sign.
 */
function judgeParts(draft: Draft, node: number, judged: number, scales: Scales): number {
  const base = draft.baseTotal[node]! * scales.base;
  const candidate = draft.candidateTotal[node]! * scales.candidate;
  const change = candidate - base;
  if (judged === 0 || Math.sign(judged) !== Math.sign(change)) return STATE.noise;
  if (Math.abs(judged) < 0.5 * Math.abs(change)) return STATE.noise;
  if (change > 0) return base === 0 ? STATE.onlyCandidate : STATE.more;
  return candidate === 0 ? STATE.onlyBase : STATE.less;
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
  };
}

/** Shown change of a row if it was judged outside the noise, else 0. More is positive. */
export function judgedChange(draft: Draft, row: number, scales: Scales): number {
  if (draft.state[row] === STATE.noise) return 0;
  return draft.candidateTotal[row]! * scales.candidate - draft.baseTotal[row]! * scales.base;
}

export function shownWeight(draft: Draft, row: number, scales: Scales): number {
  return draft.baseTotal[row]! * scales.base + draft.candidateTotal[row]! * scales.candidate;
}
