/**
 * One distributed trace as rows of a waterfall: which rows are shown, how the critical path runs through them, and what a
 * small picture of the whole shows. Pure. Spans come in preorder; times are nanoseconds since the trace's first span began.
 */

export type WaterfallGap = {
  start_ns: number;
  end_ns: number;
  previous: string;
  next: string;
  /** May be of a wrong clock's making. */
  suspect: boolean;
};

export type WaterfallSpan = {
  /** Row of the parent; null for a root. */
  parent: number | null;
  depth: number;
  service: string;
  op: string;
  kind: string;
  start_ns: number;
  duration_ns: number;
  status: string;
  flags: string[];
  skew_ns: number;
  self_ns: number;
  gaps: WaterfallGap[];
};

export type CriticalPiece = { row: number; start_ns: number; end_ns: number };

/** What of the tree is on the page. */
export type ShownRows = {
  /** Rows of spans, from top to bottom. */
  rows: number[];
  /** The row of a span, or of its nearest ancestor that is not folded. */
  places: Int32Array;
};

/** One past the last row below each span, itself included: a span without children ends at its own row + 1. */
export function subtreeEnds(spans: readonly { parent: number | null }[]): Int32Array {
  const ends = Int32Array.from(spans, (_, row) => row + 1);
  for (let row = spans.length - 1; row >= 0; row--) {
    const { parent } = spans[row]!;
    if (parent !== null && parent < row) ends[parent] = Math.max(ends[parent]!, ends[row]!);
  }
  return ends;
}

export function shownRows(ends: Int32Array, folded: ReadonlySet<number>): ShownRows {
  const rows: number[] = [];
  const places = new Int32Array(ends.length);
  for (let row = 0; row < ends.length;) {
    const end = folded.has(row) ? ends[row]! : row + 1;
    places.fill(rows.length, row, end);
    rows.push(row);
    row = end;
  }
  return { rows, places };
}

/** The gaps that calls leave: a span without children is self time from end to end. */
export function innerGaps(span: Pick<WaterfallSpan, 'gaps'>): WaterfallGap[] {
  return span.gaps.filter(({ previous, next }) => previous !== START || next !== END);
}

export const START = 'START';
export const END = 'END';

/** A stretch of the critical path in one shown row. */
export type CriticalPathSegment = { place: number; from: number; to: number };

/** One line a root: pieces in order of time, neighbours in the same shown row as one stretch. */
export function criticalLines(
  pieces: readonly CriticalPiece[],
  spans: readonly { parent: number | null }[],
  places: Int32Array,
): CriticalPathSegment[][] {
  const roots = rootsOf(spans);
  const lines = new Map<number, CriticalPathSegment[]>();
  for (const { row, start_ns: from, end_ns: to } of pieces) {
    const place = places[row];
    const root = roots[row];
    if (place === undefined || root === undefined) continue;
    const line = lines.get(root) ?? [];
    lines.set(root, line);
    const last = line.at(-1);
    if (last?.place === place && last.to === from) last.to = to;
    else line.push({ place, from, to });
  }
  return [...lines.values()];
}

function rootsOf(spans: readonly { parent: number | null }[]): Int32Array {
  const roots = new Int32Array(spans.length);
  spans.forEach(({ parent }, row) => {
    roots[row] = parent !== null && parent < row ? roots[parent]! : row;
  });
  return roots;
}

/** How much of the critical path is in each span's self time. */
export function criticalOwn(pieces: readonly CriticalPiece[], count: number): Float64Array {
  const own = new Float64Array(count);
  for (const { row, start_ns, end_ns } of pieces) {
    if (row < count) own[row]! += end_ns - start_ns;
  }
  return own;
}

/** Where a line of the small picture is drawn: lane, and the columns it fills. */
type LaneRun = { lane: number; from: number; to: number };

/**
 * The whole trace in so many lanes and columns: several rows share a lane, and what is drawn there already is not drawn
 * again, so that ten thousand spans are no more marks than the lanes have room for.
 */
export function criticalRuns(
  spans: readonly { start_ns: number; duration_ns: number }[],
  durationNs: number,
  lanes: number,
  columns: number,
): LaneRun[] {
  const filled = new Uint8Array(lanes * columns);
  const perLane = Math.max(1, spans.length / lanes);
  const scale = columns / Math.max(1, durationNs);
  spans.forEach(({ start_ns, duration_ns }, row) => {
    const lane = Math.min(lanes - 1, Math.floor(row / perLane));
    const from = Math.max(0, Math.min(columns - 1, Math.floor(start_ns * scale)));
    const to = Math.max(from + 1, Math.min(columns, Math.ceil((start_ns + duration_ns) * scale)));
    filled.fill(1, lane * columns + from, lane * columns + to);
  });
  const runs: LaneRun[] = [];
  for (let lane = 0; lane < lanes; lane++) {
    let from = -1;
    for (let at = 0; at <= columns; at++) {
      const on = at < columns && filled[lane * columns + at] === 1;
      if (on && from < 0) from = at;
      if (!on && from >= 0) {
        runs.push({ lane, from, to: at });
        from = -1;
      }
    }
  }
  return runs;
}

/** The inner gap that holds most time, if any. */
export function largestGap(
  spans: readonly WaterfallSpan[],
): { row: number; gap: WaterfallGap } | null {
  let largest: { row: number; gap: WaterfallGap } | null = null;
  let most = 0;
  spans.forEach((span, row) => {
    for (const gap of innerGaps(span)) {
      if (gap.suspect || gap.end_ns - gap.start_ns <= most) continue;
      most = gap.end_ns - gap.start_ns;
      largest = { row, gap };
    }
  });
  return largest;
}

export type TreeStep = 'up' | 'down' | 'first' | 'last' | 'in' | 'out';

type TreeMove = { row: number; fold?: boolean };

/** Where a key leads in the tree: another row, or the same one folded or unfolded. */
export function treeMove(
  step: TreeStep,
  row: number,
  tree: {
    spans: readonly { parent: number | null }[];
    ends: Int32Array;
    shown: ShownRows;
    folded: ReadonlySet<number>;
  },
): TreeMove {
  const { rows, places } = tree.shown;
  const place = places[row] ?? 0;
  const at = (where: number) => rows[Math.max(0, Math.min(rows.length - 1, where))] ?? row;
  const parent = tree.spans[row]?.parent ?? null;
  const hasChildren = (tree.ends[row] ?? 0) > row + 1;
  switch (step) {
    case 'up':
      return { row: at(place - 1) };
    case 'down':
      return { row: at(place + 1) };
    case 'first':
      return { row: at(0) };
    case 'last':
      return { row: at(rows.length - 1) };
    case 'in':
      if (!hasChildren) return { row };
      return tree.folded.has(row) ? { row, fold: false } : { row: at(place + 1) };
    case 'out':
      if (hasChildren && !tree.folded.has(row)) return { row, fold: true };
      return { row: parent ?? row };
  }
}

/** Rows whose service, operation or instance has the words; all lower case. */
export function foundRows(
  spans: readonly { service: string; op: string; instance?: string }[],
  words: string,
): number[] {
  const wanted = words.trim().toLowerCase();
  if (wanted === '') return [];
  return spans.flatMap(({ service, op, instance = '' }, row) =>
    `${service} ${op} ${instance}`.toLowerCase().includes(wanted) ? [row] : [],
  );
}

/** Unfolds whatever hides a row. */
export function unfoldedAbove(
  row: number,
  spans: readonly { parent: number | null }[],
  folded: ReadonlySet<number>,
): Set<number> {
  const open = new Set(folded);
  for (let at = spans[row]?.parent ?? null; at !== null; at = spans[at]?.parent ?? null) {
    open.delete(at);
  }
  return open;
}
