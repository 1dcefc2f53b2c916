/**
 * The model that runs in the worker: receives the parts of a diff and computes the tables and
 * placements that are drawn for a view. Results are new arrays that may be transferred; the model
 * retains copies of what it needs later.
 */
import type { DiffNormalization } from '../../api/api-types';
import type { DiffHeader } from './diff-part';
import { readDiffPart } from './diff-part';
import type { DiffTree } from './diff-tree';
import { normalizationIndex, mergePart, openTree } from './diff-tree';
import { collapseCallers } from './collapsed-callers';
import type { Draft, Scales } from './tree-draft';
import { draftOfTree } from './tree-draft';
import type { Filters, UnfilteredReason } from './flame-filter';
import { filterDraft } from './flame-filter';
import type { Placement, Side } from './flame-layout';
import { placeFrames } from './flame-layout';
import { deepestAlong, frameOfKey, heaviestEnding, weight, withPathHashes } from './flame-path';
import { sandwich } from './flame-sandwich';
import type { Picture, SearchHits } from './flame-search';
import { searchFrames } from './flame-search';
import type { FlameMode, FlameView, NamePattern } from './flame-view';
import { namesOfKey } from './flame-view';
import type { FrameTable } from './frame-table';
import { framesOf } from './frame-table';
import { PatternError, compilePattern, matchNames } from './name-pattern';
import type { NameTable } from './name-table';

/** The fields of a view that determine frames and positions. */
export type LayoutRequest = Pick<
  FlameView,
  | 'mode'
  | 'basis'
  | 'ignore'
  | 'focus'
  | 'hide'
  | 'collapseRecursion'
  | 'collapseCallers'
  | 'expanded'
  | 'sandwich'
  | 'zoom'
  | 'search'
  | 'category'
>;

/**
 * The target of a zoom: a frame of the main table (0) or of the callers' table (1). `sought` is the
 * requested frame if it was given by names.
 */
export type ZoomTarget = { table: number; frame: number; sought?: number };

export type Arranged = {
  header: DiffHeader;
  basis: DiffNormalization;
  names: NameTable;
  /** One table, or for a sandwich two: callees, then callers. */
  tables: FrameTable[];
  /** For each shown side, a placement of each table. */
  sides: { side: Side; placements: Placement[] }[];
  zoom: ZoomTarget;
  /** The requested zoom was not found; `zoom` is the root. */
  zoomLost: boolean;
  /** The hits in each table; null without a search. */
  hits: SearchHits[] | null;
  /** Received nodes, all nodes, and unsent nodes to which a filter could not be applied. */
  nodesSent: number;
  nodesTotal: number;
  unfiltered: UnfilteredReason;
  /** Messages for the user: an invalid pattern, or a sandwich of a function that was not found. */
  problems: { field: 'ignore' | 'focus' | 'hide' | 'search' | 'sandwich'; message: string }[];
};

/** Prefix of the key of a frame in the callers' table of a sandwich. */
export const CALLERS_KEY_PREFIX = 'u';

/** A frame below this share of its caller is zoomed alone, as its callees would be too narrow. */
const READABLE_SHARE = 0.25;

const hasBothSides = (mode: FlameMode): boolean => mode === 'overlay' || mode === 'side-by-side';

const SIDES: Record<FlameMode, readonly Side[]> = {
  overlay: ['both'],
  'side-by-side': ['base', 'candidate'],
  base: ['base'],
  candidate: ['candidate'],
};

type RetainedNodes = Pick<
  FrameTable,
  'count' | 'name' | 'parent' | 'levelStart' | 'childStart' | 'baseTotal' | 'candidateTotal'
>;

export class FlameModel {
  #tree: DiffTree | null = null;
  /** Copies of the last result's columns for path look-ups: the originals have been transferred. */
  #kept: RetainedNodes[] = [];
  /** Maps frames of the first table to drawn frames; null if they are the same. */
  #picture: Picture | null = null;

  /** Reads the first part. @throws ColumnError */
  open(buffer: ArrayBuffer): void {
    this.#tree = openTree(readDiffPart(buffer));
  }

  /** Merges the rest, or a subtree. @throws ColumnError; the tree is then unchanged */
  merge(buffer: ArrayBuffer): void {
    if (this.#tree !== null) this.#tree = mergePart(this.#tree, readDiffPart(buffer));
  }

  get header(): DiffHeader | null {
    return this.#tree?.header ?? null;
  }

  /** Computes what a view draws; null before the first part is read. */
  arrange(request: LayoutRequest): Arranged | null {
    const tree = this.#tree;
    if (tree === null) return null;
    const at = normalizationIndex(tree.header, request.basis);
    const basis = tree.header.normalizations[at]!;
    const scales: Scales = { base: basis.base_scale, candidate: basis.candidate_scale };
    const problems: Arranged['problems'] = [];
    const { drafts, unfiltered, inOrder } = this.#drafts(tree, at, scales, request, problems);
    const whole = drafts.map((draft) => framesOf(draft, inOrder ? null : scales));
    const fills = {
      colours: hasBothSides(request.mode),
      category: tree.header.categories.indexOf(request.category ?? ''),
    };
    this.#kept = whole.map(retainedColumns);
    const tables = this.#collapse(tree, whole, request, scales);
    const sides = SIDES[request.mode].map((side) => ({
      side,
      placements: tables.map((frames) => placeFrames(frames, side, scales, fills)),
    }));
    const zoom = this.#zoomOf(tree.names, request.zoom);
    return {
      header: tree.header,
      basis,
      names: tree.names,
      tables,
      sides,
      zoom: zoom ?? { table: 0, frame: 0 },
      zoomLost: zoom === null,
      hits: this.#search(tree.names, request.search, problems),
      nodesSent: tree.count,
      nodesTotal: tree.count + tree.hiddenTotal,
      unfiltered,
      problems,
    };
  }

  /** Searches the frames of the last arrangement. */
  search(pattern: NamePattern): Pick<Arranged, 'hits' | 'problems'> {
    const problems: Arranged['problems'] = [];
    const names = this.#tree?.names;
    return { hits: names === undefined ? null : this.#search(names, pattern, problems), problems };
  }

  /**
   * Returns the heaviest frame whose path ends with these names; otherwise the deepest frame along
   * them from the root, or -1.
   */
  find(path: readonly string[]): number {
    const names = this.#tree?.names;
    const tree = this.#kept[0];
    if (names === undefined || tree === undefined) return -1;
    const ending = heaviestEnding(tree, names, path);
    if (ending >= 0) return ending;
    const along = deepestAlong(tree, names, path);
    return along > 0 ? along : -1;
  }

  /** Returns the drawn frame for the result of {@link find}. */
  findShown(path: readonly string[]): number {
    const frame = this.find(path);
    return frame < 0 ? frame : this.#shown(frame);
  }

  /** Returns the target of a zoom in the last arrangement; null if no frame has that key. */
  locate(key: string): ZoomTarget | null {
    const names = this.#tree?.names;
    return names === undefined ? null : this.#zoomOf(names, key);
  }

  #shown(frame: number): number {
    return this.#picture?.shownAs[frame] ?? frame;
  }

  #collapse(
    tree: DiffTree,
    whole: FrameTable[],
    request: LayoutRequest,
    scales: Scales,
  ): FrameTable[] {
    const [frames, callers] = whole;
    const wanted = request.collapseCallers && hasBothSides(request.mode) && callers === undefined;
    this.#picture = null;
    if (!wanted || frames === undefined) return whole;
    const expanded = request.expanded.split(',').map((key) => frameOfKey(frames, tree.names, key));
    const collapsed = collapseCallers(frames, scales, new Set(expanded));
    if (collapsed === null) return whole;
    const { shownAs } = collapsed;
    this.#picture = { shownAs, parent: collapsed.frames.parent.slice() };
    return [withPathHashes(collapsed.frames, shownAs, frames, tree.names)];
  }

  #drafts(
    tree: DiffTree,
    basis: number,
    scales: Scales,
    request: LayoutRequest,
    problems: Arranged['problems'],
  ): { drafts: Draft[]; unfiltered: UnfilteredReason; inOrder: boolean } {
    const filters = this.#filters(tree.names, request, problems);
    let draft = draftOfTree(tree, basis);
    let unfiltered: UnfilteredReason = { nodes: 0, base: 0, candidate: 0 };
    let inOrder = tree.header.normalizations[basis]!.id === tree.header.default_normalization;
    if (filters !== null) {
      ({ draft, unfiltered } = filterDraft(draft, filters, scales));
      inOrder = false;
    }
    if (request.sandwich === '') return { drafts: [draft], unfiltered, inOrder };
    const name = tree.names.find(request.sandwich);
    const both = sandwich(draft, name < 0 ? 0 : name, scales);
    if (name < 0 || both.places === 0) {
      problems.push({
        field: 'sandwich',
        message: `${request.sandwich} was not found in the frames`,
      });
      return { drafts: [draft], unfiltered, inOrder };
    }
    // In the callers' table, the attributed callers are not known: fills depend on the total cost.
    const { baseTotal: base, candidateTotal: candidate } = both.callers;
    const callers = { ...both.callers, own: { base, candidate } };
    return { drafts: [both.callees, callers], unfiltered, inOrder: false };
  }

  #filters(
    names: NameTable,
    request: LayoutRequest,
    problems: Arranged['problems'],
  ): Filters | null {
    const flags = (field: 'ignore' | 'focus' | 'hide'): Uint8Array | null => {
      const pattern = this.#compile(
        field,
        { pattern: request[field], regex: true, caseSensitive: true },
        problems,
      );
      return pattern === null ? null : matchNames(names, pattern);
    };
    const filters = {
      ignore: flags('ignore'),
      focus: flags('focus'),
      hide: flags('hide'),
      collapse: request.collapseRecursion,
    };
    const idle =
      filters.ignore === null &&
      filters.focus === null &&
      filters.hide === null &&
      !filters.collapse;
    return idle ? null : filters;
  }

  #compile(
    field: Arranged['problems'][number]['field'],
    pattern: NamePattern,
    problems: Arranged['problems'],
  ): RegExp | null {
    try {
      return compilePattern(pattern);
    } catch (cause) {
      if (!(cause instanceof PatternError)) throw cause;
      problems.push({ field, message: cause.message });
      return null;
    }
  }

  #search(
    names: NameTable,
    pattern: NamePattern,
    problems: Arranged['problems'],
  ): SearchHits[] | null {
    const compiled = this.#compile('search', pattern, problems);
    if (compiled === null) return null;
    const flags = matchNames(names, compiled);
    return this.#kept.map((tree) => searchFrames(tree, flags.slice(), this.#picture));
  }

  #zoomOf(names: NameTable, key: string): ZoomTarget | null {
    const table = key.startsWith(CALLERS_KEY_PREFIX) ? 1 : 0;
    const tree = this.#kept[table];
    if (tree === undefined) return null;
    const meant = namesOfKey(key);
    if (meant !== null) {
      const along = heaviestEnding(tree, names, meant);
      // A path of another granularity or filter may not exist here; its last function may.
      return this.#zoomAround(
        tree,
        along >= 0 ? along : heaviestEnding(tree, names, meant.slice(-1)),
      );
    }
    const frame = frameOfKey(tree, names, table === 1 ? key.slice(CALLERS_KEY_PREFIX.length) : key);
    if (frame < 0) return null;
    return { table, frame: table === 0 ? this.#shown(frame) : frame };
  }

  /** Zooms to the caller of a frame, for context, if the frame is still large enough there. */
  #zoomAround(tree: RetainedNodes, frame: number): ZoomTarget | null {
    if (frame <= 0) return null;
    const caller = tree.parent[frame]!;
    const readable = weight(tree, frame) >= READABLE_SHARE * weight(tree, caller);
    return {
      table: 0,
      frame: this.#shown(readable ? caller : frame),
      sought: this.#shown(frame),
    };
  }
}

function retainedColumns(frames: FrameTable): RetainedNodes {
  const { count } = frames;
  return {
    count,
    name: frames.name.slice(),
    parent: frames.parent.slice(),
    levelStart: frames.levelStart.slice(),
    childStart: frames.childStart.slice(),
    baseTotal: frames.baseTotal.slice(),
    candidateTotal: frames.candidateTotal.slice(),
  };
}
