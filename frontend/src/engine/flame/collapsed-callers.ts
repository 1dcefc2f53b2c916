/**
 * Collapses callers whose change (or cost, if they are on one side only) comes from one callee: at
 * least three in a row with the same change become one frame. Their other callees are drawn beside
 * that callee. Sums stay exact. Only the drawn table changes: searches and paths use the whole
 * tree, and `shownAs` maps its frames to drawn ones.
 */
import { STATE } from '../format/change-class';
import { NO_NODE } from './diff-part';
import type { CollapsedRuns, FrameTable, Column } from './frame-table';
import { layOut, picked } from './frame-table';
import { attributedFrames, isFromCallees, isSameChange } from './own-cost';
import type { Draft, Scales } from './tree-draft';

type CollapsedTable = {
  frames: FrameTable;
  /** The drawn frame of each frame of the tree. */
  shownAs: Uint32Array<ArrayBuffer>;
};

const FEWEST_CALLERS = 3;

type Differences = { total: Float64Array; own: Float64Array };

function differencesOf(frames: FrameTable, scales: Scales): Differences {
  const total = new Float64Array(frames.count);
  const own = new Float64Array(frames.count);
  for (let at = 0; at < frames.count; at++) {
    total[at] = frames.candidateTotal[at]! * scales.candidate - frames.baseTotal[at]! * scales.base;
    own[at] = frames.candidateOwn[at]! * scales.candidate - frames.baseOwn[at]! * scales.base;
  }
  return { total, own };
}

/** Returns for each frame the one callee that explains its change; NO_NODE if there is none. */
function passedFrom(frames: FrameTable, { total, own }: Differences): Uint32Array {
  const from = new Uint32Array(frames.count).fill(NO_NODE);
  const attributed = attributedFrames(frames);
  for (let at = 1; at < frames.count; at++) {
    if (frames.state[at] === STATE.noise) continue;
    // Runtime frames below an attributed caller explain its cost, so they stay visible.
    if (frames.runtime[at] === 1 && attributed[at] !== NO_NODE) continue;
    if (!isFromCallees(own[at]!, total[at]!)) continue;
    let best = NO_NODE;
    for (let child = frames.childStart[at]!; child < frames.childStart[at + 1]!; child++)
      if (best === NO_NODE || Math.abs(total[child]!) > Math.abs(total[best]!)) best = child;
    if (best !== NO_NODE && isSameChange(total[best]!, total[at]!)) from[at] = best;
  }
  return from;
}

/** Returns for each frame the first frame of its run; the frame itself if it is in none. */
function runsOf(
  frames: FrameTable,
  scales: Scales,
  expanded: ReadonlySet<number>,
): Uint32Array<ArrayBuffer> {
  const differences = differencesOf(frames, scales);
  const from = passedFrom(frames, differences);
  const first = Uint32Array.from({ length: frames.count }, (_, at) => at);
  const seen = new Uint8Array(frames.count);
  for (let head = 1; head < frames.count; head++) {
    if (seen[head] === 1 || from[head] === NO_NODE) continue;
    const members: number[] = [];
    let at = head;
    while (
      from[at] !== undefined &&
      from[at] !== NO_NODE &&
      frames.state[at] === frames.state[head] &&
      isSameChange(differences.total[from[at]!]!, differences.total[head]!)
    ) {
      members.push(at);
      seen[at] = 1;
      at = from[at]!;
    }
    if (members.length < FEWEST_CALLERS || members.some((at) => expanded.has(at))) continue;
    for (const member of members) first[member] = head;
  }
  return first;
}

/**
 * @param expanded frames whose runs are not collapsed
 * @returns null if there is nothing to collapse
 */
export function collapseCallers(
  frames: FrameTable,
  scales: Scales,
  expanded: ReadonlySet<number>,
): CollapsedTable | null {
  const first = runsOf(frames, scales, expanded);
  if (first.every((head, at) => head === at)) return null;
  const row = new Uint32Array(frames.count);
  let count = 0;
  for (let at = 0; at < frames.count; at++) row[at] = first[at] === at ? count++ : row[first[at]!]!;
  const draft = draftWithout(frames, first, row, count);
  const { frames: laidOut, frameOf } = layOut(draft, scales);
  const shownAs = row.map((at) => frameOf[at]!);
  return { frames: { ...laidOut, runs: collectRuns(frames, first, shownAs) }, shownAs };
}

type OwnDraft = Draft & Required<Pick<Draft, 'own'>>;

/** Returns the draft without collapsed frames; the head of a run has the sum of its self values. */
function draftWithout(
  frames: FrameTable,
  first: Uint32Array,
  row: Uint32Array,
  count: number,
): OwnDraft {
  const kept = new Uint32Array(count);
  for (let at = 0; at < frames.count; at++) if (first[at] === at) kept[row[at]!] = at;
  const take = <Kind extends Column>(column: Kind): Kind => picked(column, kept);
  const draft: OwnDraft = {
    count,
    parent: take(frames.parent).map((above) => (above === NO_NODE ? NO_NODE : row[above]!)),
    name: take(frames.name),
    category: take(frames.category),
    runtime: take(frames.runtime),
    source: take(frames.source),
    baseSelf: take(frames.baseSelf),
    baseTotal: take(frames.baseTotal),
    candidateSelf: take(frames.candidateSelf),
    candidateTotal: take(frames.candidateTotal),
    hiddenNodes: take(frames.hiddenNodes),
    hiddenBase: take(frames.hiddenBase),
    hiddenCandidate: take(frames.hiddenCandidate),
    state: take(frames.state),
    low: take(frames.low),
    high: take(frames.high),
    q: take(frames.q),
    stacks: take(frames.stacks),
    own: { base: take(frames.baseOwn), candidate: take(frames.candidateOwn) },
  };
  addMembers(draft, frames, first, row);
  return draft;
}

function addMembers(
  draft: OwnDraft,
  frames: FrameTable,
  first: Uint32Array,
  row: Uint32Array,
): void {
  const mostHidden = draft.hiddenNodes.slice();
  for (let at = 0; at < frames.count; at++) {
    if (first[at] === at) continue;
    const head = row[at]!;
    draft.baseSelf[head]! += frames.baseSelf[at]!;
    draft.candidateSelf[head]! += frames.candidateSelf[at]!;
    draft.own.base[head]! += frames.baseOwn[at]!;
    draft.own.candidate[head]! += frames.candidateOwn[at]!;
    draft.hiddenNodes[head]! += frames.hiddenNodes[at]!;
    draft.hiddenBase[head]! += frames.hiddenBase[at]!;
    draft.hiddenCandidate[head]! += frames.hiddenCandidate[at]!;
    // Opening unsent frames loads the subtree of the member with the most unsent frames.
    if (frames.hiddenNodes[at]! <= mostHidden[head]!) continue;
    mostHidden[head] = frames.hiddenNodes[at]!;
    draft.source[head] = frames.source[at]!;
  }
}

/** Lists the members of each run; callers are before callees, as in the table. */
function collectRuns(frames: FrameTable, first: Uint32Array, shownAs: Uint32Array): CollapsedRuns {
  const members = new Map<number, number[]>();
  for (let at = 0; at < frames.count; at++) {
    const head = first[at]!;
    if (head === at) continue;
    const shown = shownAs[head]!;
    const known = members.get(shown) ?? [frames.name[head]!];
    known.push(frames.name[at]!);
    members.set(shown, known);
  }
  const ordered = [...members].sort(([one], [other]) => one - other);
  const starts = new Uint32Array(ordered.length + 1);
  ordered.forEach(([, names], at) => (starts[at + 1] = starts[at]! + names.length));
  return {
    frame: Uint32Array.from(ordered, ([frame]) => frame),
    starts,
    names: Uint32Array.from(ordered.flatMap(([, names]) => names)),
    pathLow: new Uint32Array(0),
    pathHigh: new Uint32Array(0),
  };
}

/** Returns the names of the callers in a collapsed frame, outermost first; else an empty array. */
export function callersOf({ runs }: Pick<FrameTable, 'runs'>, frame: number): Uint32Array {
  if (runs === null) return NONE;
  let low = 0;
  let high = runs.frame.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (runs.frame[middle]! < frame) low = middle + 1;
    else high = middle;
  }
  if (runs.frame[low] !== frame) return NONE;
  return runs.names.subarray(runs.starts[low], runs.starts[low + 1]);
}

const NONE = new Uint32Array(0);

/** Returns the number of all collapsed callers. */
export function collapsedCount({ runs }: Pick<FrameTable, 'runs'>): number {
  return runs === null ? 0 : runs.names.length;
}

/** Returns the drawn levels that have a collapsed frame, ascending. */
export function collapsedLevels(frames: Pick<FrameTable, 'runs' | 'levelStart'>): number[] {
  const levels: number[] = [];
  let level = 0;
  for (const frame of frames.runs?.frame ?? []) {
    while (frames.levelStart[level + 1]! <= frame) level++;
    if (levels.at(-1) !== level) levels.push(level);
  }
  return levels;
}
