/** The visible frames of the panes: which frames, how they are painted and described. */
import type { Arranged, ZoomTarget } from '../../engine/flame/flame-model';
import type { Panes, Span } from '../../engine/flame/flame-viewport';
import { extentOf, frameWidth, levelAt, topOf } from '../../engine/flame/flame-viewport';
import { LabelCache } from './label-cache';
import type { PanePaint } from './flame-painter';
import { LABEL_FONT_PX } from './flame-painter';
import type { Palette } from './flame-palette';
import type { PaneState } from './hit-testing';
import { collapsedLabel, restLines, rootLabel } from './frame-description';

/** `height` is that of all rows; `root` is the top of level 0, where reading begins; in pixels. */
export type Drawn = {
  drawn: number;
  narrow: number;
  whole: boolean;
  height: number;
  root: number;
};

/** During movement, narrower frames are combined: a third less to draw, and they are unreadable. */
const MOVING_LEAST_PX = 2;
const FRAME_VISIBLE_PX = 2;

type VisibleArea = {
  zoom: ZoomTarget;
  span: Span | null;
  /** The first pixel in view, and the number of pixels. */
  from: number;
  height: number;
  moving: boolean;
};

/** Fills the scenes of all panes with the frames in view. */
export function collectVisibleFrames(
  arranged: Arranged,
  states: readonly PaneState[],
  { zoom, span, from, height, moving }: VisibleArea,
): void {
  const scales = { base: arranged.basis.base_scale, candidate: arranged.basis.candidate_scale };
  for (const state of states) {
    const { pane, scene } = state;
    state.extent = extentOf(arranged, pane, zoom, span);
    const ends = [levelAt(pane, from), levelAt(pane, from + height)];
    scene.fill(
      arranged.tables[pane.table]!,
      arranged.sides[pane.side]!.placements[pane.table]!,
      scales,
      {
        from: state.extent.from,
        scale: state.extent.scale,
        widthPx: pane.width,
        firstLevel: Math.max(pane.firstLevel, Math.min(...ends)),
        lastLevel: Math.min(pane.lastLevel, Math.max(...ends)),
        ...(moving && { leastPx: MOVING_LEAST_PX }),
      },
    );
  }
}

/** Returns what the painter needs of each pane. */
export function panePaintsOf(
  arranged: Arranged,
  states: readonly PaneState[],
  labels: LabelCache,
): PanePaint[] {
  return states.map(({ pane, scene }) => ({
    pane,
    frames: arranged.tables[pane.table]!,
    placement: arranged.sides[pane.side]!.placements[pane.table]!,
    scene,
    hits: arranged.hits?.[pane.table] ?? null,
    labels,
    rootLabel: rootLabel(arranged, pane.side, pane.table),
    collapsedLabel: (frame) => collapsedLabel(arranged, pane.table, frame),
    restLabel: (at, room) => {
      const text = restLines(arranged, pane.side, pane.table, scene.restAt(at)).title;
      return text.length * LABEL_FONT_PX * 0.6 <= room ? text : (/^[\d,]+/u.exec(text)?.[0] ?? '');
    },
  }));
}

/** Returns how much is drawn in all panes. */
export function drawnOf(states: readonly PaneState[], layout: Panes, whole: boolean): Drawn {
  let drawn = 0;
  let narrow = 0;
  for (const { scene } of states) {
    drawn += scene.frames;
    narrow += scene.narrow;
  }
  const [pane] = layout.panes;
  const root = pane === undefined ? 0 : topOf(pane, 0);
  return { drawn, narrow, whole, height: layout.height, root };
}

/** Returns which frame to zoom to so that one is visible; null if it already is. */
export function zoomToReveal(
  arranged: Arranged,
  pane: PaneState['pane'],
  frame: number,
  extent: PaneState['extent'],
): number | null {
  const { table } = pane;
  const placement = arranged.sides[pane.side]!.placements[table]!;
  const x = (placement.left[frame]! - extent.from) * extent.scale;
  const width = placement.width[frame]! * extent.scale;
  if (x + width > 1 && x < pane.width - 1 && width >= FRAME_VISIBLE_PX) return null;
  const parent = frame === 0 ? 0 : arranged.tables[table]!.parent[frame]!;
  const wide =
    frameWidth(arranged, table, frame) / Math.max(1e-300, frameWidth(arranged, table, parent));
  return wide * pane.width < FRAME_VISIBLE_PX * 4 ? frame : parent;
}

/** Returns a cache that measures in the font of labels, or by a usual width without a canvas. */
export function labelCacheOf(
  arranged: Arranged,
  palette: Palette,
  context: CanvasRenderingContext2D | null,
): LabelCache {
  if (context !== null) context.font = `${LABEL_FONT_PX}px ${palette.fontCode}`;
  const measure = (text: string): number =>
    context?.measureText(text).width ?? text.length * LABEL_FONT_PX * 0.6;
  return new LabelCache(
    (name) => arranged.names.text(name),
    measure,
    measure('0'.repeat(100)) / 100,
  );
}
