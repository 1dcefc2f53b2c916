/**
 * Callers and callees of one function, over all its occurrences. In recursion only the outermost
 * frame counts, so the sum of each tree is the total of the function.
 */
import { PairMap } from '../../lib/uint-pair-map';
import { NO_NODE } from './diff-part';
import type { Draft, Scales } from './tree-draft';
import { DraftBuilder, shownWeight } from './tree-draft';

type Sandwich = { callees: Draft; callers: Draft; places: number };

/** Beyond this number of nodes, the rest of a caller chain is stored as a value without frames. */
const CALLERS_MAX_NODES = 500_000;

function outermost(draft: Draft, name: number): { rows: number[]; inside: Uint8Array } {
  const inside = new Uint8Array(draft.count);
  const rows: number[] = [];
  for (let row = 0; row < draft.count; row++) {
    const above = draft.parent[row]!;
    const within = above === NO_NODE ? 0 : inside[above]!;
    if (within === 0 && draft.name[row] === name && above !== NO_NODE) {
      rows.push(row);
      inside[row] = 1;
    } else inside[row] = within;
  }
  return { rows, inside };
}

function calleesOf(
  draft: Draft,
  name: number,
  places: readonly number[],
  inside: Uint8Array,
  scales: Scales,
): Draft {
  const builder = new DraftBuilder(1024);
  const children = new PairMap(1024);
  const target = new Uint32Array(draft.count).fill(NO_NODE);
  builder.add(NO_NODE, name);
  for (const row of places) target[row] = 0;
  for (let row = 0; row < draft.count; row++) {
    if (inside[row] === 0) continue;
    let node = target[row]!;
    if (node === NO_NODE) {
      const place = target[draft.parent[row]!]!;
      node = children.get(place, draft.name[row]!) ?? builder.add(place, draft.name[row]!);
      children.set(place, draft.name[row]!, node);
      target[row] = node;
    }
    builder.join(node, draft, row, shownWeight(draft, row, scales));
    const { columns } = builder;
    columns.baseSelf[node]! += draft.baseSelf[row]!;
    columns.candidateSelf[node]! += draft.candidateSelf[row]!;
    columns.hiddenNodes[node]! += draft.hiddenNodes[row]!;
    columns.hiddenBase[node]! += draft.hiddenBase[row]!;
    columns.hiddenCandidate[node]! += draft.hiddenCandidate[row]!;
  }
  return builder.finish(() => true);
}

/** Builds the callers of each occurrence; its total is the self value of the outermost caller. */
function callersOf(draft: Draft, name: number, places: readonly number[], scales: Scales): Draft {
  const builder = new DraftBuilder(1024);
  const children = new PairMap(1024);
  builder.add(NO_NODE, name);
  for (const row of places) {
    const weight = shownWeight(draft, row, scales);
    let node = 0;
    joinCaller(builder, node, draft, row, row, weight);
    let cut = 0;
    for (
      let above = draft.parent[row]!;
      draft.parent[above] !== NO_NODE;
      above = draft.parent[above]!
    ) {
      let next = children.get(node, draft.name[above]!);
      if (next === undefined && builder.count >= CALLERS_MAX_NODES) {
        cut++;
        continue;
      }
      if (next === undefined) {
        next = builder.add(node, draft.name[above]!);
        children.set(node, draft.name[above]!, next);
      }
      node = next;
      joinCaller(builder, node, draft, row, above, weight);
    }
    endChain(builder.columns, node, draft, row, cut);
  }
  return builder.finish(() => true);
}

/** Joins a caller with the test result of the occurrence (`row`) and the category of `shown`. */
function joinCaller(
  builder: DraftBuilder,
  node: number,
  draft: Draft,
  row: number,
  shown: number,
  weight: number,
): void {
  builder.join(node, draft, row, weight);
  builder.columns.category[node] = draft.category[shown]!;
  builder.columns.runtime[node] = draft.runtime[shown]!;
  builder.columns.source[node] = NO_NODE;
}

function endChain(columns: Draft, node: number, draft: Draft, row: number, cut: number): void {
  if (cut > 0) {
    columns.hiddenNodes[node]! += cut;
    columns.hiddenBase[node]! += draft.baseTotal[row]!;
    columns.hiddenCandidate[node]! += draft.candidateTotal[row]!;
    return;
  }
  columns.baseSelf[node]! += draft.baseTotal[row]!;
  columns.candidateSelf[node]! += draft.candidateTotal[row]!;
}

/** @param name the name id of the function; `places` of the result is 0 if it does not occur */
export function sandwich(draft: Draft, name: number, scales: Scales): Sandwich {
  const { rows, inside } = outermost(draft, name);
  return {
    callees: calleesOf(draft, name, rows, inside, scales),
    callers: callersOf(draft, name, rows, scales),
    places: rows.length,
  };
}
