/**
 * Draws scenes on a canvas: fill by level, a bar above for more and below for less, hatching and a
 * solid outline for only-in-candidate, a dashed outline for only-in-base, gray for noise, a comb
 * for rests. It stores only caches. Frames of one fill are drawn together, because a change of the
 * color is slow.
 */
import type { Placement } from '../../engine/flame/flame-layout';
import type { Scene } from '../../engine/flame/flame-scene';
import type { SearchHits } from '../../engine/flame/flame-search';
import type { Pane } from '../../engine/flame/flame-viewport';
import type { FrameTable } from '../../engine/flame/frame-table';
import { FILL, FILL_COUNT, LESS_FILLS, MORE_FILLS } from '../../engine/format/change-class';
import { hitsWithin } from '../../engine/flame/flame-search';
import { FRAME_PX, frameHeight, topOf } from '../../engine/flame/flame-viewport';
import type { LabelCache } from './label-cache';
import type { Palette } from './flame-palette';
import { isNamed, type CollapsedLabel } from './frame-description';
import { drawCollapsed } from './collapsed-row';

export const LABEL_FONT_PX = 11;
const BAR_PX = 2;
const TRIANGLE_FROM_PX = 30;
const LABEL_FROM_PX = 22;
const PAD_PX = 5;
const PAD_AFTER_TRIANGLE_PX = 15;
const REST_LABEL_FROM_PX = 64;

export type PanePaint = {
  pane: Pane;
  frames: FrameTable;
  placement: Placement;
  scene: Scene;
  hits: SearchHits | null;
  labels: LabelCache;
  /** Label of the root, on level 0. */
  rootLabel: string;
  restLabel: (at: number, roomPx: number) => string;
  /** Returns the label of collapsed callers; null for other frames. */
  collapsedLabel: (frame: number) => CollapsedLabel | null;
};

/** Frames to outline: by name (search, table row) or individually (pointer, keyboard). */
export type Marks = {
  highlighted: ReadonlySet<number>;
  hovered: { table: number; frame: number } | null;
  cursor: { table: number; frame: number } | null;
};

type PaintJob = {
  width: number;
  height: number;
  /** Device pixels for one CSS pixel. */
  ratio: number;
  scrollTop: number;
  palette: Palette;
  panes: readonly PanePaint[];
  marks: Marks;
};

type Context = CanvasRenderingContext2D;

/** The drawn frames of one pane in whole device pixels. */
class Boxes {
  x = new Float32Array(1024);
  y = new Float32Array(1024);
  w = new Float32Array(1024);
  h = new Float32Array(1024);
  /** Positions in the scene, sorted by fill; `start[fill]` to `start[fill + 1]`. */
  order = new Uint32Array(1024);
  readonly start = new Uint32Array(FILL_COUNT + 1);

  private grow(capacity: number): void {
    this.x = new Float32Array(capacity);
    this.y = new Float32Array(capacity);
    this.w = new Float32Array(capacity);
    this.h = new Float32Array(capacity);
    this.order = new Uint32Array(capacity);
  }

  take({ pane, placement, scene }: PanePaint, ratio: number, scrollTop: number): void {
    const count = scene.frames;
    if (count > this.x.length) this.grow(count * 2);
    this.start.fill(0);
    for (let at = 0; at < count; at++) {
      const left = Math.round(Math.max(-8, scene.xAt(at)) * ratio) / ratio;
      const right =
        Math.round(Math.min(pane.width + 8, scene.xAt(at) + scene.widthAt(at)) * ratio) / ratio;
      this.x[at] = left;
      this.y[at] = topOf(pane, scene.levelAt(at)) - scrollTop;
      this.h[at] = frameHeight(pane, scene.levelAt(at));
      // One pixel is free at the right, unless nothing would be left.
      this.w[at] = right - left >= 2 ? right - left - 1 : Math.max(1, right - left);
      this.start[placement.fill[scene.frameAt(at)]! + 1]! += 1;
    }
    for (let fill = 0; fill < FILL_COUNT; fill++) this.start[fill + 1]! += this.start[fill]!;
    const next = this.start.slice(0, FILL_COUNT);
    for (let at = 0; at < count; at++) {
      const fill = placement.fill[scene.frameAt(at)]!;
      this.order[next[fill]!] = at;
      next[fill]! += 1;
    }
  }
}

const CHANGED_FILLS = [...MORE_FILLS, ...LESS_FILLS];
/** Opacity of the bar of a change that comes only from callees. */
const CALLEES_ALPHA = 0.4;

type Patterns = {
  hatch: CanvasPattern | null;
  comb: CanvasPattern | null;
  combSparse: CanvasPattern | null;
};

function tile(
  width: number,
  height: number,
  ratio: number,
  draw: (context: Context) => void,
): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.max(1, Math.round(height * ratio));
  const context = canvas.getContext('2d');
  if (context !== null) {
    context.scale(canvas.width / width, canvas.height / height);
    draw(context);
  }
  return canvas;
}

function makePatterns(context: Context, palette: Palette, ratio: number): Patterns {
  const pattern = (canvas: HTMLCanvasElement, width: number): CanvasPattern | null => {
    const made = context.createPattern(canvas, 'repeat');
    made?.setTransform(new DOMMatrix().scale(width / canvas.width));
    return made;
  };
  const hatch = tile(5, 5, ratio, (draw) => {
    draw.strokeStyle = palette.hatch;
    draw.lineWidth = 1.2;
    draw.beginPath();
    // Three lines, so that the corners of neighbouring tiles are filled.
    for (const shift of [-5, 0, 5]) {
      draw.moveTo(shift - 1, 6);
      draw.lineTo(shift + 6, -1);
    }
    draw.stroke();
  });
  const teeth = (period: number): HTMLCanvasElement =>
    tile(period, 1, ratio, (draw) => {
      draw.fillStyle = palette.noiseLine;
      draw.fillRect(0, 0, 1, 1);
    });
  return { hatch: pattern(hatch, 5), comb: pattern(teeth(3), 3), combSparse: pattern(teeth(6), 6) };
}

export class FlamePainter {
  readonly #context: Context;
  readonly #boxes = new Boxes();
  #patterns: Patterns | null = null;
  #patternsFor: { palette: Palette; ratio: number } | null = null;

  constructor(context: Context) {
    this.#context = context;
  }

  paint(job: PaintJob): void {
    const context = this.#context;
    context.setTransform(job.ratio, 0, 0, job.ratio, 0, 0);
    context.clearRect(0, 0, job.width, job.height);
    const patterns = this.#patternsOf(job.palette, job.ratio);
    for (const pane of job.panes) {
      context.save();
      context.beginPath();
      context.rect(pane.pane.x, 0, pane.pane.width, job.height);
      context.clip();
      context.translate(pane.pane.x, 0);
      this.#boxes.take(pane, job.ratio, job.scrollTop);
      this.#rests(pane, job, patterns);
      this.#fills(job.palette, patterns);
      this.#bars(job.palette);
      this.#triangles(pane, job.palette);
      this.#labels(pane, job.palette);
      this.#marks(pane, job);
      context.restore();
    }
  }

  #patternsOf(palette: Palette, ratio: number): Patterns {
    const made = this.#patternsFor;
    if (this.#patterns === null || made?.palette !== palette || made.ratio !== ratio) {
      this.#patterns = makePatterns(this.#context, palette, ratio);
      this.#patternsFor = { palette, ratio };
    }
    return this.#patterns;
  }

  #each(
    fill: number,
    draw: (x: number, y: number, w: number, h: number, at: number) => void,
  ): void {
    const { start, order, x, y, w, h } = this.#boxes;
    for (let index = start[fill]!; index < start[fill + 1]!; index++) {
      const at = order[index]!;
      draw(x[at]!, y[at]!, w[at]!, h[at]!, at);
    }
  }

  #fills(palette: Palette, patterns: Patterns): void {
    const context = this.#context;
    for (let fill = 0; fill < FILL_COUNT; fill++) {
      if (this.#boxes.start[fill] === this.#boxes.start[fill + 1]) continue;
      context.fillStyle = palette.fill[fill]!;
      if (fill !== FILL.onlyBase) {
        this.#each(fill, (x, y, w, h) => context.fillRect(x, y, w, h));
      }
      if (fill === FILL.onlyCandidate) this.#hatched(palette, patterns);
      if (fill === FILL.onlyBase) this.#dashed(palette);
    }
  }

  #hatched(palette: Palette, patterns: Patterns): void {
    const context = this.#context;
    context.fillStyle = patterns.hatch ?? palette.hatch;
    context.strokeStyle = palette.more;
    context.lineWidth = 1;
    this.#each(FILL.onlyCandidate, (x, y, w, h) => {
      context.fillRect(x, y, w, h);
      context.strokeRect(x + 0.5, y + 0.5, Math.max(0, w - 1), h - 1);
    });
  }

  #dashed(palette: Palette): void {
    const context = this.#context;
    context.strokeStyle = palette.less;
    context.lineWidth = 1;
    context.setLineDash([3, 2.5]);
    this.#each(FILL.onlyBase, (x, y, w, h) =>
      context.strokeRect(x + 0.5, y + 0.5, Math.max(0, w - 1), h - 1),
    );
    context.setLineDash([]);
  }

  #bars(palette: Palette): void {
    const context = this.#context;
    for (let level = 0; level < 4; level++) {
      const strongest = level === 3;
      // On the strongest fill, a bar of its color would be invisible, so it has the text's color.
      context.globalAlpha = strongest ? 0.55 : 1;
      context.fillStyle = strongest ? palette.onMore : palette.more;
      this.#each(FILL.more + level, (x, y, w) => context.fillRect(x, y, w, BAR_PX));
      context.fillStyle = strongest ? palette.onLess : palette.less;
      this.#each(FILL.less + level, (x, y, w, h) => context.fillRect(x, y + h - BAR_PX, w, BAR_PX));
    }
    context.globalAlpha = CALLEES_ALPHA;
    context.fillStyle = palette.more;
    this.#each(FILL.moreInCallees, (x, y, w) => context.fillRect(x, y, w, BAR_PX));
    context.fillStyle = palette.less;
    this.#each(FILL.lessInCallees, (x, y, w, h) => context.fillRect(x, y + h - BAR_PX, w, BAR_PX));
    context.globalAlpha = 1;
  }

  #triangles({ scene, collapsedLabel }: PanePaint, palette: Palette): void {
    const context = this.#context;
    context.globalAlpha = 0.85;
    for (const fill of CHANGED_FILLS) {
      const more = MORE_FILLS.includes(fill);
      context.fillStyle = palette.ink[fill]!;
      context.beginPath();
      this.#each(fill, (x, y, w, h, at) => {
        const from = Math.max(0, x);
        if (x + w - from <= TRIANGLE_FROM_PX || collapsedLabel(scene.frameAt(at)) !== null) return;
        const middle = y + h / 2 + (more ? 0.5 : 0);
        const tip = more ? -3 : 3;
        context.moveTo(from + 4, middle - tip);
        context.lineTo(from + 11, middle - tip);
        context.lineTo(from + 7.5, middle + tip);
      });
      context.fill();
    }
    context.globalAlpha = 1;
  }

  #labels(
    { pane, frames, scene, labels, rootLabel, collapsedLabel }: PanePaint,
    palette: Palette,
  ): void {
    const context = this.#context;
    context.font = `${LABEL_FONT_PX}px ${palette.fontCode}`;
    context.textBaseline = 'alphabetic';
    context.direction = 'ltr';
    for (let fill = 0; fill < FILL_COUNT; fill++) {
      const changed = CHANGED_FILLS.includes(fill);
      context.fillStyle = palette.ink[fill]!;
      this.#each(fill, (x, y, w, h, at) => {
        const from = Math.max(0, x);
        const visible = Math.min(pane.width, x + w) - from;
        if (visible <= LABEL_FROM_PX) return;
        const pad = changed && visible > TRIANGLE_FROM_PX ? PAD_AFTER_TRIANGLE_PX : PAD_PX;
        const room = visible - pad - PAD_PX;
        const frame = scene.frameAt(at);
        const collapsed = collapsedLabel(frame);
        if (collapsed !== null) {
          const box = { x: from, y, width: visible, height: h };
          drawCollapsed(context, box, collapsed, palette, fill);
          return;
        }
        const label =
          frame === 0 && rootLabel !== '' ? rootLabel : labels.fit(frames.name[frame]!, room);
        if (label === '') return;
        if (fill === FILL.onlyCandidate) this.#plate(from + pad, y, label, palette);
        context.fillText(label, from + pad, y + (h + FRAME_PX) / 2 - 5);
      });
    }
  }

  /** Draws a plain background below a name on hatching. */
  #plate(x: number, y: number, label: string, palette: Palette): void {
    const context = this.#context;
    context.fillStyle = palette.fill[FILL.onlyCandidate]!;
    context.fillRect(x - 3, y + 2, context.measureText(label).width + 6, FRAME_PX - 4);
    context.fillStyle = palette.ink[FILL.onlyCandidate]!;
  }

  #rests({ pane, scene, hits, restLabel }: PanePaint, job: PaintJob, patterns: Patterns): void {
    const context = this.#context;
    const { palette } = job;
    context.font = `${LABEL_FONT_PX}px ${palette.fontCode}`;
    for (let at = 0; at < scene.rests; at++) {
      const { from, to } = scene.restAt(at);
      const x = Math.round(Math.max(-8, scene.restXAt(at)) * job.ratio) / job.ratio;
      const right =
        Math.round(
          Math.min(pane.width + 8, scene.restXAt(at) + scene.restWidthAt(at)) * job.ratio,
        ) / job.ratio;
      // A rest below half a pixel is still counted in the text; a separate mark would be redundant.
      if (right <= x) continue;
      const y = topOf(pane, scene.restLevelAt(at)) - job.scrollTop;
      context.fillStyle = (from === to ? patterns.combSparse : patterns.comb) ?? palette.noise;
      context.fillRect(x, y, right - x, FRAME_PX);
      if (hits !== null && hitsWithin(hits, from, to) > 0) {
        context.fillStyle = palette.accent;
        context.fillRect(x, y + FRAME_PX - BAR_PX, Math.max(1, right - x), BAR_PX);
      }
      if (right - x >= REST_LABEL_FROM_PX)
        this.#restLabel(x, y, restLabel(at, right - x - 2 * PAD_PX), palette);
    }
  }

  #restLabel(x: number, y: number, label: string, palette: Palette): void {
    if (label === '') return;
    const context = this.#context;
    const from = Math.max(0, x) + PAD_PX;
    context.fillStyle = palette.background;
    context.fillRect(from - 3, y + 2, context.measureText(label).width + 6, FRAME_PX - 4);
    context.fillStyle = palette.muted;
    context.fillText(label, from, y + FRAME_PX - 5);
  }

  #marks({ pane, frames, scene, hits }: PanePaint, job: PaintJob): void {
    const context = this.#context;
    const { highlighted, hovered, cursor } = job.marks;
    const { x, y, w, h } = this.#boxes;
    context.strokeStyle = job.palette.accent;
    context.fillStyle = job.palette.accent;
    context.lineWidth = 2;
    for (let at = 0; at < scene.frames; at++) {
      const frame = scene.frameAt(at);
      const pointed =
        (hovered?.frame === frame && hovered.table === pane.table) ||
        (cursor?.frame === frame && cursor.table === pane.table);
      const found =
        frame > 0 &&
        isNamed(frames, frame, (name) => hits?.names[name] === 1 || highlighted.has(name));
      if (!pointed && !found) continue;
      if (w[at]! < 4) context.fillRect(x[at]!, y[at]!, w[at]!, h[at]!);
      else context.strokeRect(x[at]! + 1, y[at]! + 1, w[at]! - 2, h[at]! - 2);
    }
  }
}
