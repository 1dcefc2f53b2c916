/**
 * Layout of a distributed trace as a waterfall: the shown rows, the critical path through them and
 * the minimap. Spans are in preorder; times are nanoseconds since the start of the first span.
 */

export type WaterfallGap = {
  start_ns: number;
  end_ns: number;
  previous: string;
  next: string;
  /** Whether the gap may be an effect of clock skew. */
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

/** The rows that are shown while some spans are folded. */
export type ShownRows = {
  /** Rows of spans, from top to bottom. */
  rows: number[];
  /** For each span, the index in `rows` of its row, or of the folded ancestor that hides it. */
  places: Int32Array;
};

/** Returns the exclusive end row of each span's subtree: row + 1 for a span without children. */
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

/** Returns the gaps beside child spans: none for a span without children. */
export function innerGaps(span: Pick<WaterfallSpan, 'gaps'>): WaterfallGap[] {
  return span.gaps.filter(({ previous, next }) => previous !== START || next !== END);
}

export const START = 'START';
export const END = 'END';

/** A segment of the critical path in one shown row. */
export type CriticalPathSegment = { place: number; from: number; to: number };

/** Returns one line per root, in time order; adjacent pieces in the same shown row are joined. */
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

/** Returns the time of the critical path in the self time of each span. */
export function criticalOwn(pieces: readonly CriticalPiece[], count: number): Float64Array {
  const own = new Float64Array(count);
  for (const { row, start_ns, end_ns } of pieces) {
    if (row < count) own[row]! += end_ns - start_ns;
  }
  return own;
}

/** A line of the minimap: its lane and the range of columns that it fills. */
type LaneRun = { lane: number; from: number; to: number };

/**
 * Returns the lines of the minimap. Several rows share a lane, and overlapping spans are one line,
 * so ten thousand spans need no more lines than the lanes have columns for.
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

/** Returns the longest inner gap that is not suspect, if any. */
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

/** Returns the effect of a key: another row, or the same row folded or unfolded. */
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

/** Returns the rows whose service, operation or instance contains a text, ignoring case. */
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

/** Returns the folded rows without the ancestors of a row, so that the row is shown. */
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
