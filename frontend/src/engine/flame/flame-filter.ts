/**
 * Filters with pprof's meanings: *ignore* drops stacks that contain a match, *focus* keeps only
 * stacks that contain one, *hide* removes matching frames and adds their cost to their callers.
 * *Collapse* merges a recursive call into the first frame of the function on the stack. Sums stay
 * exact: nothing is scaled.
 */
import { PairMap } from '../../lib/uint-pair-map';
import { NO_NODE } from './diff-part';
import type { Draft, Scales } from './tree-draft';
import { DraftBuilder, shownWeight } from './tree-draft';

/** Flags by name id; null = the filter is off. */
export type Filters = {
  ignore: Uint8Array | null;
  focus: Uint8Array | null;
  hide: Uint8Array | null;
  collapse: boolean;
};

/** Number and raw totals of unsent nodes to which a focus or ignore could not be applied. */
export type UnfilteredReason = { nodes: number; base: number; candidate: number };

type Filtered = { draft: Draft; unfiltered: UnfilteredReason };

/**
 * How many frames up a repeated function is searched. Longer cycles are not collapsed. This bounds
 * the time on stacks of 100,000 frames.
 */
const RECURSION_REACH = 512;

type RetainedNodes = {
  self: Uint8Array;
  any: Uint8Array;
  base: Float64Array;
  candidate: Float64Array;
};

/** Returns the stacks that are retained (`self`: those that end at a row) and retained totals. */
function keep(draft: Draft, filters: Filters): RetainedNodes & { unfiltered: UnfilteredReason } {
  const { count, parent, name } = draft;
  const ignored = new Uint8Array(count);
  const focused = new Uint8Array(count);
  const self = new Uint8Array(count);
  const unfiltered: UnfilteredReason = { nodes: 0, base: 0, candidate: 0 };
  for (let row = 0; row < count; row++) {
    const above = parent[row]!;
    const root = above === NO_NODE;
    ignored[row] = (root ? 0 : ignored[above]!) | (filters.ignore?.[name[row]!] ?? 0);
    focused[row] =
      (root ? 0 : focused[above]!) |
      (filters.focus === null ? 1 : (filters.focus[name[row]!] ?? 0));
    self[row] = ignored[row] === 0 && focused[row] === 1 ? 1 : 0;
    const asked = ignored[row] === 1 || (filters.ignore === null && focused[row] === 1);
    if (asked || draft.hiddenNodes[row] === 0) continue;
    unfiltered.nodes += draft.hiddenNodes[row]!;
    unfiltered.base += draft.hiddenBase[row]!;
    unfiltered.candidate += draft.hiddenCandidate[row]!;
  }
  return { self, unfiltered, ...addRetained(draft, self) };
}

function addRetained(draft: Draft, self: Uint8Array): Omit<RetainedNodes, 'self'> {
  const { count, parent } = draft;
  const any = new Uint8Array(count);
  const base = new Float64Array(count);
  const candidate = new Float64Array(count);
  for (let row = count - 1; row >= 0; row--) {
    if (self[row] === 1) {
      any[row] = 1;
      base[row]! += draft.baseSelf[row]! + draft.hiddenBase[row]!;
      candidate[row]! += draft.candidateSelf[row]! + draft.hiddenCandidate[row]!;
    }
    const above = parent[row]!;
    if (above === NO_NODE) continue;
    any[above]! |= any[row]!;
    base[above]! += base[row]!;
    candidate[above]! += candidate[row]!;
  }
  return { any, base, candidate };
}

/** Returns whether two sums are equal to one part in 10^9: their order of summation may differ. */
function close(one: number, other: number): boolean {
  return Math.abs(one - other) <= 1e-9 * Math.max(Math.abs(one), Math.abs(other));
}

function intact(draft: Draft, row: number, base: number, candidate: number): boolean {
  return close(draft.baseTotal[row]!, base) && close(draft.candidateTotal[row]!, candidate);
}

function frameOnStack(builder: DraftBuilder, from: number, name: number): number {
  let node = from;
  for (let step = 0; step < RECURSION_REACH && node !== NO_NODE; step++) {
    if (builder.nameOf(node) === name && node !== 0) return node;
    node = builder.parentOf(node);
  }
  return NO_NODE;
}

/** Applies the filters. */
export function filterDraft(draft: Draft, filters: Filters, scales: Scales): Filtered {
  const kept = keep(draft, filters);
  const merging = filters.hide !== null || filters.collapse;
  const builder = new DraftBuilder(merging ? 1024 : draft.count);
  const children = merging ? new PairMap(1024) : null;
  const target = new Uint32Array(draft.count).fill(NO_NODE);

  for (let row = 0; row < draft.count; row++) {
    const above = draft.parent[row]!;
    if (above !== NO_NODE && kept.any[row] === 0) continue;
    const name = draft.name[row]!;
    const place = above === NO_NODE ? NO_NODE : target[above]!;
    let node = NO_NODE;
    if (place !== NO_NODE && filters.hide?.[name] === 1) node = place;
    else if (place !== NO_NODE && filters.collapse) node = frameOnStack(builder, place, name);
    if (node === NO_NODE) {
      node = children?.get(place, name) ?? builder.add(place, name);
      children?.set(place, name, node);
      builder.join(node, draft, row, shownWeight(draft, row, scales));
    }
    target[row] = node;
    if (kept.self[row] === 1) addSelf(builder.columns, node, draft, row);
  }
  const whole = wholeness(builder.columns, draft, kept, target);
  return { draft: builder.finish(whole), unfiltered: kept.unfiltered };
}

function addSelf(columns: Draft, node: number, draft: Draft, row: number): void {
  columns.baseSelf[node]! += draft.baseSelf[row]!;
  columns.candidateSelf[node]! += draft.candidateSelf[row]!;
  columns.hiddenNodes[node]! += draft.hiddenNodes[row]!;
  columns.hiddenBase[node]! += draft.hiddenBase[row]!;
  columns.hiddenCandidate[node]! += draft.hiddenCandidate[row]!;
}

/** Returns a function that tests whether a node has the unchanged values of its rows. */
function wholeness(
  columns: Draft,
  draft: Draft,
  kept: RetainedNodes,
  target: Uint32Array,
): (node: number) => boolean {
  const touched = new Uint8Array(columns.parent.length);
  for (let row = 0; row < draft.count; row++) {
    const node = target[row]!;
    if (node === NO_NODE) continue;
    const above = draft.parent[row]!;
    // A row that was merged into its caller's node (hidden, or recursive) is not compared with it.
    if (above !== NO_NODE && target[above] === node) continue;
    if (!intact(draft, row, kept.base[row]!, kept.candidate[row]!)) touched[node] = 1;
  }
  return (node) => touched[node] === 0;
}
