/** Draws a timeline on a canvas: rows of segments, the bracket of the wait, and times below. */
import { roundTicks } from '../../engine/format/axis-ticks';
import { formatTicks } from '../../engine/format/format';
import { fitLabel, labelForms, visibleName } from '../../engine/flame/frame-label';
import {
  describeOccupantBriefly,
  type OccupantPattern,
  type OccupantPatterns,
} from '../../engine/timeline/p-occupancy';
import {
  FOOT_PX,
  GUTTER_PX,
  HEAD_PX,
  segmentsWithin,
  xOf,
  type Rows,
  type TimeScale,
} from '../../engine/timeline/timeline-layout';
import type { TraceTile } from '../../engine/timeline/timeline-tile';
import { PATTERN_STYLES, canvasFills } from '../plot/occupancy-patterns';
import type { Tokens } from '../plot/color-tokens';

export type Drawing = {
  /** The coarse tile first; finer ones are drawn over it. */
  tiles: readonly TraceTile[];
  rows: Rows;
  scale: TimeScale;
  paints: OccupantPatterns;
  tokens: Tokens;
  bracket: string;
  start: string;
  end: string;
  hovered: { proc: number; from: number; to: number } | null;
};

const CHARACTER_PX = 6.02;
const LABEL_FROM_PX = 34;
const TICK_ROOM_PX = 90;
/** Wider segments have a gap at their right, so that equal neighbors are distinguishable. */
const GAP_FROM_PX = 2.5;

export class TimelinePainter {
  readonly #context: CanvasRenderingContext2D;
  readonly #ratio: number;
  #fills: Record<OccupantPattern, string | CanvasPattern | null> | null = null;
  #fillsOf: Tokens | null = null;

  constructor(context: CanvasRenderingContext2D, ratio: number) {
    this.#context = context;
    this.#ratio = ratio;
  }

  draw(drawing: Drawing, width: number): void {
    const context = this.#context;
    const { rows, tokens, tiles } = drawing;
    if (this.#fillsOf !== tokens) {
      this.#fills = canvasFills(context, tokens, this.#ratio);
      this.#fillsOf = tokens;
    }
    context.setTransform(this.#ratio, 0, 0, this.#ratio, 0, 0);
    context.clearRect(0, 0, width, rows.heightPx);
    context.save();
    context.beginPath();
    context.rect(GUTTER_PX, 0, width - GUTTER_PX, rows.heightPx);
    context.clip();
    for (const [which, tile] of tiles.entries()) this.#tile(drawing, tile, which > 0);
    context.restore();
    this.#labels(drawing);
    this.#bracket(drawing, width);
    this.#times(drawing, width);
  }

  #tile(drawing: Drawing, tile: TraceTile, over: boolean): void {
    const { rows, scale } = drawing;
    const from = Math.max(scale.from, tile.startNs);
    const to = Math.min(scale.to, tile.endNs);
    if (to <= from) return;
    const context = this.#context;
    if (over) {
      // A finer piece replaces the coarse one below it, also in the gaps of its rows.
      context.clearRect(
        xOf(scale, from),
        HEAD_PX - 1,
        xOf(scale, to) - xOf(scale, from),
        rows.procs.length * rows.rowPx,
      );
    }
    for (const [row, proc] of rows.procs.entries()) {
      const [first, last] = segmentsWithin(tile, proc, from, to);
      const y = HEAD_PX + row * rows.rowPx;
      for (let at = first; at < last; at++) this.#segment(drawing, tile, at, y);
    }
  }

  #segment(drawing: Drawing, tile: TraceTile, at: number, y: number): void {
    const { rows, scale, paints, hovered, tokens } = drawing;
    const context = this.#context;
    const x = Math.max(GUTTER_PX - 2, xOf(scale, tile.from[at]!));
    const end = Math.min(scale.x0 + scale.width + 2, xOf(scale, tile.to[at]!));
    const full = end - x;
    const width = Math.max(0.6, full > GAP_FROM_PX ? full - 0.8 : full);
    const held = tile.classes[tile.heldBy[at]!]!;
    const own = tile.goroutine[at] === tile.waitGoroutine && tile.waitGoroutine > 0;
    const paint: OccupantPattern = own ? 'self' : paints.of(held);
    const look = PATTERN_STYLES[paint];
    const fill = this.#fills?.[paint] ?? null;
    if (fill !== null) {
      context.fillStyle = fill;
      context.fillRect(x, y, width, rows.barPx);
    }
    if (look.outline !== null && full > 5) {
      context.strokeStyle = tokens[look.outline];
      context.lineWidth = 1;
      context.setLineDash(look.dashed ? [2, 2] : []);
      context.strokeRect(x + 0.5, y + 0.5, width - 1, rows.barPx - 1);
      context.setLineDash([]);
    }
    if (rows.barPx >= 12 && full >= LABEL_FROM_PX) {
      this.#name(
        own ? `g${tile.goroutine[at]!}` : describeOccupantBriefly(held),
        paint,
        drawing,
        x,
        y,
        width,
      );
    }
    const proc = rows.procs[Math.round((y - HEAD_PX) / rows.rowPx)];
    const from = tile.from[at];
    if (hovered?.proc === proc && hovered?.from === from && hovered?.to === tile.to[at]) {
      context.strokeStyle = tokens.accent;
      context.lineWidth = 2;
      context.strokeRect(x + 1, y + 1, Math.max(1, width - 2), rows.barPx - 2);
    }
  }

  #name(
    name: string,
    paint: OccupantPattern,
    drawing: Drawing,
    x: number,
    y: number,
    width: number,
  ): void {
    const context = this.#context;
    const { tokens, rows } = drawing;
    const text = fitLabel(labelForms(visibleName(name)), Math.floor((width - 12) / CHARACTER_PX));
    if (text === '') return;
    const look = PATTERN_STYLES[paint];
    const plain = paint === 'self';
    const top = y + rows.barPx / 2;
    context.font = `10px ${tokens['font-code']}`;
    context.textBaseline = 'middle';
    context.textAlign = 'left';
    if (!plain) {
      // Text on a pattern or a medium color would not be readable, so it gets a background.
      context.fillStyle = paint === 'culprit' ? tokens.m1 : tokens.bg;
      context.fillRect(x + 3, y + 2, context.measureText(text).width + 6, rows.barPx - 4);
    }
    context.fillStyle = plain ? tokens[look.ink] : tokens.text;
    context.fillText(text, x + 6, top + 0.5);
  }

  #labels({ rows, tokens }: Drawing): void {
    const context = this.#context;
    context.clearRect(0, 0, GUTTER_PX - 1, rows.heightPx);
    context.fillStyle = tokens.muted;
    context.font = `11px ${tokens['font-ui']}`;
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    for (const [row, proc] of rows.procs.entries()) {
      if (row % rows.labelEvery !== 0) continue;
      context.fillText(
        `P${proc}`,
        GUTTER_PX - 8,
        HEAD_PX + row * rows.rowPx + rows.barPx / 2 + 0.5,
      );
    }
  }

  /** Draws the wait from wake to start: a line through all rows at each, an arrow, and its text. */
  #bracket({ tiles, rows, scale, tokens, bracket }: Drawing, width: number): void {
    const tile = tiles[0];
    if (!tile) return;
    const context = this.#context;
    const bottom = HEAD_PX + rows.procs.length * rows.rowPx;
    const [woken, started] = [xOf(scale, tile.waitStartNs), xOf(scale, tile.waitEndNs)];
    const inside = (x: number) => x >= GUTTER_PX - 1 && x <= width + 1;
    context.strokeStyle = tokens.text;
    context.fillStyle = tokens.text;
    context.lineWidth = 1.4;
    for (const x of [woken, started]) {
      if (!inside(x)) continue;
      context.beginPath();
      context.moveTo(x, HEAD_PX - 10);
      context.lineTo(x, bottom + 3);
      context.stroke();
    }
    const [left, right] = [Math.max(GUTTER_PX, woken), Math.min(width, started)];
    if (right <= left) return;
    const y = HEAD_PX - 13;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(left, y);
    context.lineTo(right, y);
    context.stroke();
    if (inside(woken)) this.#head(woken, y, 1);
    if (inside(started)) this.#head(started, y, -1);
    context.font = `600 12px ${tokens['font-ui']}`;
    context.textBaseline = 'middle';
    context.textAlign = 'center';
    const words = fitting(
      bracket,
      (text) => context.measureText(text).width + 16 <= width - GUTTER_PX,
    );
    const room = context.measureText(words).width + 16;
    const middle = Math.max(GUTTER_PX + room / 2, Math.min(width - room / 2, (left + right) / 2));
    context.clearRect(middle - room / 2, 0, room, HEAD_PX - 4);
    context.fillText(words, middle, y);
  }

  #head(x: number, y: number, direction: 1 | -1): void {
    const context = this.#context;
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x + 6 * direction, y - 3);
    context.lineTo(x + 6 * direction, y + 3);
    context.fill();
  }

  /** Draws times since the wake; the wake and the start are named if they are in view. */
  #times({ tiles, rows, scale, tokens, start, end }: Drawing, width: number): void {
    const tile = tiles[0];
    if (!tile) return;
    const context = this.#context;
    const y = rows.heightPx - FOOT_PX / 2 + 2;
    context.font = `11px ${tokens['font-ui']}`;
    context.textBaseline = 'middle';
    const taken: [number, number][] = [];
    const put = (text: string, x: number, align: 'left' | 'center' | 'right', ink: string) => {
      const room = context.measureText(text).width;
      let from = align === 'left' ? x : align === 'center' ? x - room / 2 : x - room;
      from = Math.max(0, Math.min(width - room, from));
      if (taken.some(([a, b]) => from < b + 8 && from + room > a - 8)) return;
      taken.push([from, from + room]);
      context.fillStyle = ink;
      context.textAlign = 'left';
      context.fillText(text, from, y);
    };
    const inSight = (time: number) => time >= scale.from && time <= scale.to;
    if (inSight(tile.waitEndNs)) put(end, xOf(scale, tile.waitEndNs) + 4, 'right', tokens.text);
    if (inSight(tile.waitStartNs))
      put(start, xOf(scale, tile.waitStartNs) - 4, 'left', tokens.text);
    const most = Math.max(1, Math.floor(scale.width / TICK_ROOM_PX));
    const ticks = roundTicks(scale.from, scale.to, most, tile.waitStartNs);
    const texts = formatTicks(
      ticks.map((tick) => tick - tile.waitStartNs),
      'ns',
    );
    for (const [at, tick] of ticks.entries()) {
      put(texts[at]!, xOf(scale, tick), 'center', tokens.muted);
    }
  }
}

/** Returns as many of the parts of "a · b · c" as fit, but at least the first. */
function fitting(text: string, fits: (text: string) => boolean): string {
  let shorter = text;
  while (!fits(shorter) && shorter.includes(' · ')) {
    shorter = shorter.slice(0, shorter.lastIndexOf(' · '));
  }
  return shorter;
}
