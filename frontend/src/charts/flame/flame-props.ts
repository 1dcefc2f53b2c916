/** Inputs and events of the flame graph. Types only. */
import type { ReactNode } from 'react';
import type { FlameView } from '../../engine/flame/flame-view';

/**
 * The data of one comparison's view (one kind, sample type and granularity), as the API gives it: slowcol buffers. The
 * buffers are copied into the worker, never emptied, so they may sit in a cache.
 *
 * - `key`: stable identity of the data ("comparison/view"). Another key means other data; the same key with `rest` no
 * longer
 *   null means that the rest has arrived.
 * - `first`: the `first` (or `all`) part. `rest`: null while it is not there.
 * - `restState`: what the state line says of it. 'none' = there are no combined frames.
 * - `loadSubtree`: asked for when a person opens a rest that was never sent; gives the `subtree` part.
 */
export type FlameSource = {
  key: string;
  first: ArrayBuffer;
  rest: ArrayBuffer | null;
  restState: 'none' | 'loading' | 'loaded' | 'failed';
  loadSubtree?: (nodeId: number) => Promise<ArrayBuffer>;
};

/** What a search found among the frames that are loaded: topmost matches only, so that nothing counts twice. */
export type SearchTotals = {
  frames: number;
  /** Raw sums and their share of each side's total. */
  base: number;
  candidate: number;
  baseShare: number;
  candidateShare: number;
  /** Frames that were never sent and so not searched. */
  unsearched: number;
  /** Why the pattern was not used, in words; null when it was. */
  error: string | null;
};

/** One frame, in the shown units of the chosen basis. */
export type FrameDescription = {
  name: string;
  category: string;
  attributedCaller: string | null;
  change: 'noise' | 'more' | 'less' | 'only-candidate' | 'only-base';
  baseSelf: number;
  baseTotal: number;
  candidateSelf: number;
  candidateTotal: number;
  /** Of the ratio of totals; NaN where there is none. */
  low: number;
  high: number;
  /** Corrected for the number of frames; NaN when it was not tested. */
  q: number;
  /** The number of distinct stacks it is on; 0 when that is not known. */
  stacks: number;
  /** Put together from several frames (a filter, the sandwich): its sum has no interval, so it is drawn grey. */
  joined: boolean;
  depth: number;
};

/** What the widths of a graph of one side mean ("CPU time per request, 2.88 ms"), and what the selected category is called. */
export type OneSideWords = { width: string; selected: string };

export type FlameGraphProps = {
  source: FlameSource;
  /** The whole visible state; keep it in the URL. The component never changes it; it calls `onViewChange`. */
  view: FlameView;
  /**
   * A new view was chosen inside. Calls of one drag or wheel are gathered (about four a second). `replace`: the graph
   * itself zoomed, to bring a frame into sight, which must not be a step in the browser's history.
   */
  onViewChange: (view: FlameView, replace?: boolean) => void;
  /** Names of functions to outline, e.g. of the hovered or selected table row. */
  highlighted?: readonly string[];
  /** The pointer or the keyboard is on frames of this function (null: on none). For the table's row. */
  onFunctionHover?: (name: string | null) => void;
  /** A frame was chosen (clicked, or Enter). */
  onFrameChosen?: (frame: FrameDescription) => void;
  /** Someone wants the lines of a function. Without it the menu has no such entry. */
  onListLines?: (name: string) => void;
  /** Someone wants the assembly of a function. Without it the menu has no such entry. */
  onShowAssembly?: (name: string) => void;
  /** The last entry of the menu of a function, with the role `menuitem`: a link to somewhere else. */
  menuLink?: (name: string) => ReactNode;
  onSearchTotals?: (totals: SearchTotals | null) => void;
  /** How many callers are collapsed now; 0 for none. */
  onCallersCollapsed?: (count: number) => void;
  /** The categories' ids (from the data) in words; default: the id with spaces. */
  categoryLabel?: (id: string) => string;
  /** Height at most, in CSS pixels (default 640); a deeper graph scrolls inside. */
  maxHeight?: number;
  /** Whether the legend is above the graph; default true. */
  legend?: boolean;
  /** Whether the filters in force stand above the graph, to be taken away by a click; default false: the page has its own. */
  chips?: boolean;
  /** Words for a graph of one side alone, in place of those of a diff. */
  oneSide?: OneSideWords;
  /** Names the graph for screen readers; default "Diff flame graph". */
  label?: string;
  /** Called once for each `source.key` after the first drawing, with the milliseconds since the data was handed in. */
  onFirstFrame?: (milliseconds: number) => void;
};

/** Rows that a picture shows, of all that there are. */
export type Cut = { rows: number; whole: number };

/** `cut` is null when the picture is whole; else the picture says so too. */
export type Picture = { blob: Blob; cut: Cut | null };

/** What the page may ask of the graph (through `ref`). */
export type FlameGraphHandle = {
  /** Zooms to the heaviest frame whose path begins or ends with these names; resolves to false when there is none. */
  zoomToPath: (names: readonly string[]) => Promise<boolean>;
  /** Zooms to the heaviest frame of a function; resolves to false when there is none. */
  zoomToFunction: (name: string) => Promise<boolean>;
  /** The current view as a PNG, at two pixels a CSS pixel where that fits. */
  exportPng: () => Promise<Picture>;
  /** The current view as SVG text. */
  exportSvg: () => string;
};
