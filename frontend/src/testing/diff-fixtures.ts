/**
 * Diffs for tests and benchmarks: parsed from indented text ("name base candidate state", self
 * values), or random from a seed, of any size. Both become `slowpath.diff` files, whole or in the
 * parts that the API sends.
 */
import type { DiffTreeHeader } from '../api';
import { createSeededRandom } from './seeded-random';
import { stringColumns, writeColumns } from './column-writer';

type DrawnNode = {
  name: string;
  base: number;
  candidate: number;
  state: number;
  runtime: boolean;
  category: number;
  children: DrawnNode[];
};

const CATEGORIES = ['application', 'stack-growth', 'gc-mark', 'allocation', 'scheduler', 'syscall'];

/**
 * Parses a tree. Each level is indented by two spaces; after the name: base self, candidate self,
 * state (0 to 4), `r` for a runtime frame.
 */
export function drawnTree(text: string): DrawnNode {
  const root: DrawnNode = {
    name: 'all',
    base: 0,
    candidate: 0,
    state: 0,
    runtime: false,
    category: 0,
    children: [],
  };
  const open: DrawnNode[] = [root];
  for (const line of text.split('\n').filter((drawn) => drawn.trim() !== '')) {
    const level = (line.length - line.trimStart().length) / 2;
    const [name = '', base = '0', candidate = '0', state = '0', runtime = ''] = line
      .trim()
      .split(/\s+/u);
    const category = runtime === 'r' ? 1 : 0;
    const node = {
      name,
      base: Number(base),
      candidate: Number(candidate),
      state: Number(state),
      runtime: runtime === 'r',
      category,
      children: [],
    };
    open[level]?.children.push(node);
    open.length = level + 1;
    open.push(node);
  }
  return root;
}

type Flat = { node: DrawnNode; parent: number; size: number; base: number; candidate: number };

function flatten(root: DrawnNode): Flat[] {
  const flat: Flat[] = [];
  const walk = (node: DrawnNode, parent: number): void => {
    const at = flat.length;
    const entry: Flat = { node, parent, size: 1, base: node.base, candidate: node.candidate };
    flat.push(entry);
    for (const child of node.children) {
      const childAt = flat.length;
      walk(child, at);
      const below = flat[childAt];
      if (below === undefined) continue;
      entry.size += below.size;
      entry.base += below.base;
      entry.candidate += below.candidate;
    }
  };
  walk(root, 0xffffffff);
  return flat;
}

/** Columns of a whole tree, before it is split into parts. */
export type DiffColumns = {
  names: string[];
  parent: Uint32Array;
  name: Uint32Array;
  category: Uint8Array;
  runtime: Uint8Array;
  baseSelf: Float64Array;
  baseTotal: Float64Array;
  candidateSelf: Float64Array;
  candidateTotal: Float64Array;
  size: Uint32Array;
  state: Uint8Array;
};

function emptyColumns(count: number): DiffColumns {
  return {
    names: [''],
    parent: new Uint32Array(count),
    name: new Uint32Array(count),
    category: new Uint8Array(count),
    runtime: new Uint8Array(count),
    baseSelf: new Float64Array(count),
    baseTotal: new Float64Array(count),
    candidateSelf: new Float64Array(count),
    candidateTotal: new Float64Array(count),
    size: new Uint32Array(count),
    state: new Uint8Array(count),
  };
}

export function columnsOf(root: DrawnNode): DiffColumns {
  const flat = flatten(root);
  const columns = emptyColumns(flat.length);
  const numbers = new Map<string, number>();
  for (const [id, { node, parent, size, base, candidate }] of flat.entries()) {
    let name = numbers.get(node.name);
    if (name === undefined) numbers.set(node.name, (name = columns.names.push(node.name) - 1));
    columns.parent[id] = parent;
    columns.name[id] = name;
    columns.category[id] = node.category;
    columns.runtime[id] = node.runtime ? 1 : 0;
    columns.baseSelf[id] = node.base;
    columns.candidateSelf[id] = node.candidate;
    columns.baseTotal[id] = base;
    columns.candidateTotal[id] = candidate;
    columns.size[id] = size;
    columns.state[id] = node.state;
  }
  return columns;
}

function take<Column extends Uint8Array | Uint32Array | Float64Array>(
  column: Column,
  ids: Uint32Array,
): Column {
  const make = column.constructor as new (length: number) => Column;
  const taken = new make(ids.length);
  for (let row = 0; row < ids.length; row++) taken[row] = column[ids[row] ?? 0] ?? 0;
  return taken;
}

/**
 * A side without any value has no profiles: the base of a profile without a comparison is such a
 * side.
 */
const SIDE = (label: string, total: number) => ({
  label,
  artifacts: total > 0 ? 8 : 0,
  total_raw: total,
});

/**
 * Returns one part with the given node ids (ascending). Its two normalizations are shares and
 * per-request values.
 */
export function writePart(
  columns: DiffColumns,
  ids: Uint32Array,
  part: DiffTreeHeader['part'],
): ArrayBuffer {
  const base = columns.baseTotal[0] ?? 0;
  const candidate = columns.candidateTotal[0] ?? 0;
  const state = take(columns.state, ids);
  const totals = {
    base: take(columns.baseTotal, ids),
    candidate: take(columns.candidateTotal, ids),
  };
  const q = Float32Array.from(state, (each) => (each === 0 ? 0.5 : 0.0004));
  const low = new Float32Array(ids.length);
  const high = new Float32Array(ids.length);
  for (let row = 0; row < ids.length; row++) {
    const ratio = (totals.candidate[row] ?? 0) / (totals.base[row] ?? 0);
    low[row] = Number.isFinite(ratio) && ratio > 0 ? ratio * 0.9 : NaN;
    high[row] = Number.isFinite(ratio) && ratio > 0 ? ratio * 1.1 : NaN;
  }
  const header: DiffTreeHeader = {
    format: 'slowpath.diff',
    format_version: 1,
    kind: 'cpu',
    sample_type: { type: 'cpu', unit: 'nanoseconds' },
    granularity: 'function',
    part,
    nodes_total: columns.parent.length,
    nodes_sent: ids.length,
    normalizations: [
      { id: 'per_request', unit: 'nanoseconds/request', base_scale: 1, candidate_scale: 1 },
      {
        id: 'share',
        unit: 'share',
        base_scale: base > 0 ? 1 / base : 0,
        candidate_scale: candidate > 0 ? 1 / candidate : 0,
      },
    ],
    default_normalization: 'per_request',
    categories: CATEGORIES,
    base: SIDE('229227f', base),
    candidate: SIDE('9c41e0a', candidate),
  };
  return writeColumns(header, {
    node_id: ids,
    node_parent: take(columns.parent, ids),
    node_name: take(columns.name, ids),
    node_category: take(columns.category, ids),
    node_runtime: take(columns.runtime, ids),
    base_self: take(columns.baseSelf, ids),
    base_total: totals.base,
    candidate_self: take(columns.candidateSelf, ids),
    candidate_total: totals.candidate,
    node_size: take(columns.size, ids),
    hidden_base: new Float64Array(ids.length),
    hidden_candidate: new Float64Array(ids.length),
    hidden_nodes: new Uint32Array(ids.length),
    node_stacks: take(columns.size, ids),
    state_per_request: state,
    low_per_request: low,
    high_per_request: high,
    q_per_request: q,
    state_share: state,
    low_share: low,
    high_share: high,
    q_share: q,
    ...stringColumns(columns.names),
  });
}

/** Returns all nodes in one part. */
export function writeWhole(columns: DiffColumns): ArrayBuffer {
  return writePart(
    columns,
    Uint32Array.from({ length: columns.parent.length }, (_, id) => id),
    'all',
  );
}

/** Returns a tree that is given as text as a whole file. */
export function drawnDiff(text: string): ArrayBuffer {
  return writeWhole(columnsOf(drawnTree(text)));
}

/** Returns the `most` largest nodes as "first", the others as "rest". */
export function writeParts(
  columns: DiffColumns,
  most: number,
): { first: ArrayBuffer; rest: ArrayBuffer } {
  const count = columns.parent.length;
  const weight = (id: number): number =>
    (columns.baseTotal[id] ?? 0) + (columns.candidateTotal[id] ?? 0);
  const bySize = Uint32Array.from({ length: count }, (_, id) => id).sort(
    (a, b) => weight(b) - weight(a) || a - b,
  );
  return {
    first: writePart(columns, bySize.slice(0, most).sort(), 'first'),
    rest: writePart(columns, bySize.slice(most).sort(), 'rest'),
  };
}

const WORDS = [
  'store',
  'index',
  'queue',
  'shard',
  'ident',
  'series',
  'block',
  'codec',
  'filter',
  'route',
  'cache',
  'proto',
];

function someName(random: () => number, number: number): string {
  const word = (): string => WORDS[Math.floor(random() * WORDS.length)] ?? 'store';
  const method = word();
  const title = word().replace(/^./u, (letter) => letter.toUpperCase());
  return `github.com/northwind/${word()}/${word()}.(*${title}).${method}${number}`;
}

/**
 * Returns a tree of exactly `count` nodes that resembles a service: a few wide handlers, deep
 * narrow stacks, many thin frames. The values are integers. The same seed gives the same tree.
 */
export function randomTree(count: number, seed: number, depth = 60): DiffColumns {
  const random = createSeededRandom(seed);
  const columns = emptyColumns(count);
  const vocabulary = Math.max(16, Math.floor(count / 12));
  columns.names = [
    '',
    'all',
    ...Array.from({ length: vocabulary }, (_, number) => someName(random, number)),
  ];
  columns.name[0] = 1;
  columns.parent[0] = 0xffffffff;
  let next = 1;
  // Each frame gets a number of nodes for its subtree, and distributes it unevenly among its
  // children.
  const grow = (
    node: number,
    level: number,
    nodes: number,
    weight: number,
    change: number,
  ): void => {
    let left = nodes;
    const self = Math.max(1, Math.round(weight * (left === 0 ? 1 : 0.08)));
    columns.baseSelf[node] = self;
    columns.candidateSelf[node] = Math.round(self * change);
    columns.size[node] = nodes + 1;
    let rest = weight * 0.92;
    const used = new Set<number>();
    while (left > 0) {
      const child = next++;
      const last = level >= depth - 1;
      const share = 0.35 + random() * 0.6;
      const size = last ? 0 : Math.min(left - 1, Math.floor((left - 1) * share));
      let name = 2 + Math.floor(random() * vocabulary);
      while (used.has(name)) name = 2 + ((name - 1) % vocabulary);
      if (used.size < vocabulary - 1) used.add(name);
      columns.name[child] = name;
      columns.parent[child] = node;
      columns.runtime[child] = random() < 0.2 ? 1 : 0;
      columns.category[child] = columns.runtime[child] === 1 ? 1 + Math.floor(random() * 5) : 0;
      const part = left - size - 1 === 0 ? rest : rest * Math.max(share, 0.1);
      rest -= part;
      left -= size + 1;
      grow(
        child,
        level + 1,
        size,
        part,
        random() < 0.15 ? change * 2 ** (random() * 4 - 2) : change,
      );
    }
  };
  grow(0, 0, count - 1, 1e12, 1);
  addTotals(columns);
  return columns;
}

function addTotals(columns: DiffColumns): void {
  for (let node = columns.parent.length - 1; node >= 0; node--) {
    columns.baseTotal[node] = (columns.baseTotal[node] ?? 0) + (columns.baseSelf[node] ?? 0);
    columns.candidateTotal[node] =
      (columns.candidateTotal[node] ?? 0) + (columns.candidateSelf[node] ?? 0);
    const parent = columns.parent[node] ?? 0;
    if (node > 0) {
      columns.baseTotal[parent] = (columns.baseTotal[parent] ?? 0) + (columns.baseTotal[node] ?? 0);
      columns.candidateTotal[parent] =
        (columns.candidateTotal[parent] ?? 0) + (columns.candidateTotal[node] ?? 0);
    }
    const change = Math.log2((columns.candidateTotal[node] ?? 0) / (columns.baseTotal[node] ?? 1));
    columns.state[node] = Math.abs(change) < 0.1 ? 0 : change > 0 ? 1 : 2;
  }
}
