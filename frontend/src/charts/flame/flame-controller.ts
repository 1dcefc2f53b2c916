/**
 * The graph between React and the canvas: it holds the view state, draws at most once per frame,
 * and answers hit tests. React passes changes to it; it reports its own changes by events. It uses
 * no components and no gestures.
 */
import type { Arranged, ZoomTarget } from '../../engine/flame/flame-model';
import type { Rest } from '../../engine/flame/flame-scene';
import type { Panes, Span } from '../../engine/flame/flame-viewport';
import { CALLERS_KEY_PREFIX } from '../../engine/flame/flame-model';
import { keyOfFrame } from '../../engine/flame/flame-path';
import { Scene } from '../../engine/flame/flame-scene';
import {
  ROW_PX,
  WHOLE_SPAN,
  clampSpan,
  extentOf,
  frameWidth,
  panSpan,
  sameSpan,
  panesOf,
  paddingAround,
  topOf,
  zoomSpan,
} from '../../engine/flame/flame-viewport';
import { levelOf } from '../../engine/flame/frame-table';
import { levelsShown } from '../../engine/flame/zoomed-levels';
import type { Orientation } from '../../engine/flame/flame-view';
import type { LabelCache } from './label-cache';
import {
  drawnOf,
  labelCacheOf,
  collectVisibleFrames,
  panePaintsOf,
  zoomToReveal,
  type Drawn,
} from './visible-frames';
import { FlamePainter } from './flame-painter';
import type { Marks, PanePaint } from './flame-painter';
import type { Palette } from './flame-palette';
import type { PaneState, TargetBoxes } from './hit-testing';
import { boxesOf, targetAt } from './hit-testing';
import type { Target } from './frame-description';

export type { Drawn } from './visible-frames';

type Zoomed = { zoom: string; span: Span | null };

type ControllerEvents = {
  /**
   * A new zoom and span; those of a continuous movement are combined. `replace`: the graph itself
   * zoomed, to bring a frame into view.
   */
  moved: (zoomed: Zoomed, replace: boolean) => void;
  drawn: (drawn: Drawn) => void;
  painted: () => void;
};

const NO_PANES: Panes = { panes: [], rows: 1, height: ROW_PX };
const NOTHING_MARKED: Marks = { highlighted: new Set(), hovered: null, cursor: null };
/** The URL, the table and the state line need not follow every frame of a drag. */
const GATHER_MS = 200;
const SETTLE_MS = 80;
/** Time after the last movement until everything is drawn again. */
const STILL_MS = 120;

export class FlameController {
  #events: ControllerEvents | null = null;
  #canvas: HTMLCanvasElement | null = null;
  #painter: FlamePainter | null = null;
  #palette: Palette | null = null;
  #arranged: Arranged | null = null;
  #labels: LabelCache | null = null;
  #orientation: Orientation = 'icicle';
  #width = 0;
  #height = 0;
  #scrollTop = 0;
  #zoom: ZoomTarget = { table: 0, frame: 0 };
  #zoomKey = '';
  #span: Span | null = null;
  #marks: Marks = NOTHING_MARKED;
  #layout: Panes = NO_PANES;
  #states: PaneState[] = [];
  #levels: readonly number[] = [];
  #frame = 0;
  #gather: ReturnType<typeof setTimeout> | undefined;
  /** Set while the user pans or zooms. */
  #still: ReturnType<typeof setTimeout> | undefined;
  #pendingZoom: Zoomed | null = null;
  #replaces = false;
  #settling: ReturnType<typeof setTimeout> | undefined;
  #reportedHeight = 0;

  /** Sets the listeners. The graph is drawn without them, too. */
  listen(events: ControllerEvents): void {
    this.#events = events;
  }

  get arranged(): Arranged | null {
    return this.#arranged;
  }
  get zoom(): ZoomTarget {
    return this.#zoom;
  }
  get width(): number {
    return this.#width;
  }
  get states(): readonly PaneState[] {
    return this.#states;
  }

  attach(canvas: HTMLCanvasElement | null): void {
    this.#canvas = canvas;
    const context = canvas?.getContext('2d') ?? null;
    this.#painter = context === null ? null : new FlamePainter(context);
    this.#labels = null;
    this.invalidate();
  }

  /** Stops drawing; a pending movement is reported now. */
  stop(): void {
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#settling);
    clearTimeout(this.#still);
    this.#frame = 0;
    this.#say();
  }

  setPalette(palette: Palette): void {
    this.#palette = palette;
    this.#labels = null;
    this.invalidate();
  }

  setSize(width: number, height: number): void {
    if (width === this.#width && height === this.#height) return;
    this.#width = width;
    this.#height = height;
    this.#relayout();
  }

  setScroll(top: number): void {
    this.#scrollTop = top;
    this.invalidate();
  }

  setMarks(marks: Marks): void {
    this.#marks = marks;
    this.invalidate();
  }

  /** Sets new frames and their positions, with the zoom for which they were arranged. */
  setArranged(
    arranged: Arranged | null,
    orientation: Orientation,
    zoomKey: string,
    span: Span | null,
  ): void {
    const sameNames = arranged !== null && arranged.names === this.#arranged?.names;
    if (!sameNames) this.#labels = null;
    const moved = arranged?.tables !== this.#arranged?.tables;
    this.#arranged = arranged;
    this.#orientation = orientation;
    if (arranged !== null && moved) {
      this.#zoom = arranged.zoom;
      this.#zoomKey = zoomKey;
      this.#span = span;
      this.#pendingZoom = null;
    }
    this.#relayout();
  }

  /** Sets a zoom from outside. Those that the graph reported return here too, without effect. */
  setZoom(target: ZoomTarget, key: string, span: Span | null): void {
    this.#zoom = target;
    this.#zoomKey = key;
    this.#span = span;
    this.#pendingZoom = null;
    this.#followLevels();
  }

  /** Returns whether a zoom is already shown or about to be reported, and needs no lookup. */
  shows(key: string, span: Span | null): boolean {
    if (this.#pendingZoom !== null) return true;
    return key === this.#zoomKey && sameSpan(span, this.#span);
  }

  zoomTo(table: number, frame: number, span: Span | null = null, replace = false): void {
    const arranged = this.#arranged;
    const frames = arranged?.tables[table];
    if (arranged === null || frames === undefined) return;
    const key = keyOfFrame(frames, arranged.names, frame);
    this.#zoom = { table, frame };
    this.#zoomKey = table === 1 && key !== '' ? CALLERS_KEY_PREFIX + key : key;
    this.#moveTo(span, replace);
  }

  reset(): void {
    this.zoomTo(0, 0);
  }

  /** Zooms to the parent of a rest, with a span in which the rest fills the width. */
  zoomToRest(side: number, table: number, rest: Rest): void {
    const arranged = this.#arranged;
    const placement = arranged?.sides[side]?.placements[table];
    if (arranged === null || placement === undefined || rest.from === rest.to) return;
    const unit = frameWidth(arranged, table, rest.parent);
    const left = placement.left[rest.parent]!;
    const from = (placement.left[rest.from]! - left) / unit;
    const to = (placement.left[rest.to - 1]! + placement.width[rest.to - 1]! - left) / unit;
    this.zoomTo(table, rest.parent, unit > 0 && to > from ? { from, to } : null);
  }

  zoomBy(factor: number, at = 0.5): void {
    this.#moveTo(zoomSpan(this.#span ?? WHOLE_SPAN, factor, at));
  }

  panBy(part: number): void {
    this.#moveTo(panSpan(this.#span ?? WHOLE_SPAN, part));
  }

  #moveTo(span: Span | null, replace = false): void {
    const arranged = this.#arranged;
    if (arranged === null) return;
    const { before, after } = paddingAround(arranged, this.#zoom);
    const clamped = span === null ? null : clampSpan(span, before, after);
    this.#span = sameSpan(clamped, WHOLE_SPAN) ? null : clamped;
    this.#replaces = replace && (this.#pendingZoom === null || this.#replaces);
    this.#pendingZoom = { zoom: this.#zoomKey, span: this.#span };
    clearTimeout(this.#still);
    this.#still = setTimeout(() => {
      this.#still = undefined;
      this.invalidate();
    }, STILL_MS);
    this.#gather ??= setTimeout(() => this.#say(), GATHER_MS);
    this.#followLevels();
  }

  #say(): void {
    clearTimeout(this.#gather);
    this.#gather = undefined;
    const pending = this.#pendingZoom;
    this.#pendingZoom = null;
    if (pending !== null) this.#events?.moved(pending, this.#replaces);
  }

  #levelsShown(): number[] {
    const arranged = this.#arranged;
    return arranged === null ? [] : levelsShown(arranged, this.#zoom, this.#span, this.#width);
  }

  /** Adjusts the height of the graph to the depth of the frames in view. */
  #followLevels(): void {
    const now = this.#levelsShown();
    if (now.some((levels, table) => levels !== this.#levels[table])) this.#relayout();
    else this.invalidate();
  }

  #relayout(): void {
    const arranged = this.#arranged;
    this.#levels = this.#levelsShown();
    this.#layout =
      arranged === null
        ? NO_PANES
        : panesOf(arranged, this.#orientation, this.#width, this.#levels);
    this.#states = this.#layout.panes.map((pane, at) => ({
      pane,
      extent: { from: 0, scale: 0 },
      scene: this.#states[at]?.scene ?? new Scene(),
    }));
    this.invalidate();
  }

  invalidate(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#draw();
    });
  }

  /** Collects the visible frames, once per drawing; hit tests read the same scenes. */
  #look(from: number, height: number): void {
    const arranged = this.#arranged;
    if (arranged === null) return;
    collectVisibleFrames(arranged, this.#states, {
      zoom: this.#zoom,
      span: this.#span,
      from,
      height,
      moving: this.#still !== undefined,
    });
  }

  #draw(): void {
    const canvas = this.#canvas;
    const arranged = this.#arranged;
    if (canvas === null || arranged === null || this.#width <= 0) return;
    const ratio = globalThis.devicePixelRatio || 1;
    const size = {
      width: Math.round(this.#width * ratio),
      height: Math.round(this.#height * ratio),
    };
    if (canvas.width !== size.width || canvas.height !== size.height) Object.assign(canvas, size);
    this.#look(this.#scrollTop, this.#height);
    this.paintOn(this.#painter, { ratio, scrollTop: this.#scrollTop, height: this.#height });
    this.#reportDrawn();
    this.#events?.painted();
  }

  /** Paints the frames that were collected last. */
  paintOn(
    painter: FlamePainter | null,
    { ratio, scrollTop, height }: { ratio: number; scrollTop: number; height: number },
  ): void {
    const palette = this.#palette;
    if (painter === null || palette === null) return;
    const panes = this.panePaints();
    painter.paint({
      width: this.#width,
      height,
      ratio,
      scrollTop,
      palette,
      panes,
      marks: this.#marks,
    });
  }

  /** Collects all rows for an export, calls back, and collects the visible rows again. */
  withEverything<Result>(done: (height: number) => Result): Result {
    const { height } = this.#layout;
    this.#look(0, height);
    try {
      return done(height);
    } finally {
      this.#look(this.#scrollTop, this.#height);
    }
  }

  panePaints(): PanePaint[] {
    const arranged = this.#arranged;
    const labels = this.#labelCache();
    if (arranged === null || labels === null) return [];
    return panePaintsOf(arranged, this.#states, labels);
  }

  #labelCache(): LabelCache | null {
    const arranged = this.#arranged;
    const palette = this.#palette;
    if (this.#labels !== null || arranged === null || palette === null) return this.#labels;
    this.#labels = labelCacheOf(arranged, palette, this.#canvas?.getContext('2d') ?? null);
    return this.#labels;
  }

  #reportDrawn(): void {
    const tall = this.#layout.height > this.#height + 1;
    const whole = this.#zoom.frame === 0 && this.#span === null && !tall;
    const now = drawnOf(this.#states, this.#layout, whole);
    const notifyListeners = (): void => {
      this.#reportedHeight = now.height;
      this.#events?.drawn(now);
    };
    // Counts need not follow every frame of a drag; the height must.
    clearTimeout(this.#settling);
    if (now.height === this.#reportedHeight)
      this.#settling = setTimeout(notifyListeners, SETTLE_MS);
    else notifyListeners();
  }

  /** Returns the target at a position of the canvas, in CSS pixels from its top left. */
  targetAt(x: number, y: number): Target | null {
    return this.#arranged === null
      ? null
      : targetAt(this.#arranged, this.#states, x, y + this.#scrollTop);
  }

  /** Returns the box of a target on the canvas, and the box of it and all it calls. */
  boxesOf(target: Target): TargetBoxes | null {
    return this.#arranged === null
      ? null
      : boxesOf(this.#arranged, this.#states, target, this.#scrollTop);
  }

  /** Brings a frame into view. Returns the top of its row, to scroll to. */
  reveal(table: number, frame: number, replace = false): number {
    const arranged = this.#arranged;
    const paneOf = () => this.#states.find(({ pane }) => pane.table === table)?.pane;
    const pane = paneOf();
    if (arranged === null || pane === undefined) return 0;
    const target = zoomToReveal(
      arranged,
      pane,
      frame,
      extentOf(arranged, pane, this.#zoom, this.#span),
    );
    if (target !== null) this.zoomTo(table, target, null, replace);
    // A zoom may have moved the rows.
    return topOf(paneOf() ?? pane, levelOf(arranged.tables[table]!, frame));
  }
}
