/** Types of the inputs and events of the flame graph. */
import type { ReactNode } from 'react';
import type { FlameView } from '../../engine/flame/flame-view';

/**
 * The data of one view of a comparison (one kind, sample type and granularity), as the API returns
 * it: slowcol buffers. The buffers are copied to the worker and never emptied, so a cache may
 * contain them.
 *
 * - `key`: stable identity of the data ("comparison/view"). Another key means other data; the same
 *   key with a `rest` that is no longer null means that the rest is loaded.
 * - `first`: the `first` (or `all`) part. `rest`: null until it is loaded.
 * - `restState`: its state in the state line. 'none' = there are no combined frames.
 * - `loadSubtree`: called when a user opens a rest that was never sent; returns the `subtree` part.
 */
export type FlameSource = {
  key: string;
  first: ArrayBuffer;
  rest: ArrayBuffer | null;
  restState: 'none' | 'loading' | 'loaded' | 'failed';
  loadSubtree?: (nodeId: number) => Promise<ArrayBuffer>;
};

/** What a search found in the loaded frames: topmost matches only, so nothing counts twice. */
export type SearchTotals = {
  frames: number;
  /** Raw sums and their share of each side's total. */
  base: number;
  candidate: number;
  baseShare: number;
  candidateShare: number;
  /** Frames that were never sent, and so were not searched. */
  unsearched: number;
  /** Why the pattern was not used; null if it was. */
  error: string | null;
};

/** One frame, in the units of the chosen basis. */
export type FrameDescription = {
  name: string;
  category: string;
  attributedCaller: string | null;
  change: 'noise' | 'more' | 'less' | 'only-candidate' | 'only-base';
  baseSelf: number;
  baseTotal: number;
  candidateSelf: number;
  candidateTotal: number;
  /** Interval of the ratio of totals; NaN if there is none. */
  low: number;
  high: number;
  /** Corrected for the number of frames; NaN if it was not tested. */
  q: number;
  /** The number of distinct stacks that contain it; 0 if that is unknown. */
  stacks: number;
  /** Combined from several frames (filter, sandwich): its sum has no interval, so it is gray. */
  joined: boolean;
  depth: number;
};

/**
 * The meaning of the widths in a graph of one side ("CPU time per request, 2.88 ms"), and the name
 * of the selected category.
 */
export type OneSideWords = { width: string; selected: string };

export type FlameGraphProps = {
  source: FlameSource;
  /** The whole visible state, to be stored in the URL. Changes are passed to `onViewChange`. */
  view: FlameView;
  /**
   * Called with a new view that was chosen inside. Calls of one drag or wheel are combined (about
   * four a second). `replace`: the graph itself zoomed to bring a frame into view, which must not
   * be a step in the browser's history.
   */
  onViewChange: (view: FlameView, replace?: boolean) => void;
  /** Names of functions to outline, e.g. of the hovered or selected table row. */
  highlighted?: readonly string[];
  /** Called with the function at the pointer or the cursor, or null; for the row of the table. */
  onFunctionHover?: (name: string | null) => void;
  /** Called when a frame is chosen by a click or Enter. */
  onFrameChosen?: (frame: FrameDescription) => void;
  /** Called to show the lines of a function. Without it, the menu has no such entry. */
  onListLines?: (name: string) => void;
  /** Called to show the assembly of a function. Without it, the menu has no such entry. */
  onShowAssembly?: (name: string) => void;
  /** Returns the last entry of the menu of a function: a link with the role `menuitem`. */
  menuLink?: (name: string) => ReactNode;
  onSearchTotals?: (totals: SearchTotals | null) => void;
  /** Called with the number of callers that are collapsed; 0 for none. */
  onCallersCollapsed?: (count: number) => void;
  /** Returns the name of a category by its id in the data; default: the id with spaces. */
  categoryLabel?: (id: string) => string;
  /** Maximum height in CSS pixels (default 640); a deeper graph scrolls inside. */
  maxHeight?: number;
  /** Whether the legend is above the graph; default true. */
  legend?: boolean;
  /**
   * Whether the active filters are shown above the graph, where a click removes one; default false:
   * the page has its own.
   */
  chips?: boolean;
  /** Text of a graph of one side, instead of that of a diff. */
  oneSide?: OneSideWords;
  /** Names the graph for screen readers; default "Diff flame graph". */
  label?: string;
  /** Called once per `source.key` after the first drawing, with the milliseconds it took. */
  onFirstFrame?: (milliseconds: number) => void;
};

/** Number of rows in a picture, and of all rows. */
export type Cut = { rows: number; whole: number };

/** `cut` is null if the picture is complete; otherwise the picture has a note, too. */
export type Picture = { blob: Blob; cut: Cut | null };

/** What the page can call on the graph (through `ref`). */
export type FlameGraphHandle = {
  /** Zooms to the heaviest frame whose path begins or ends with these names; false if none does. */
  zoomToPath: (names: readonly string[]) => Promise<boolean>;
  /** Zooms to the heaviest frame of a function; resolves to false if there is none. */
  zoomToFunction: (name: string) => Promise<boolean>;
  /** Returns the current view as a PNG, with two pixels per CSS pixel if that fits. */
  exportPng: () => Promise<Picture>;
  /** Returns the current view as SVG text. */
  exportSvg: () => string;
};
