/**
 * The panes in which tables are drawn, and the visible part of each: rows, and an extent in shown
 * units. The overlay or one side has one pane; two sides have two panes side by side, or one above
 * the other if the page is narrow; a sandwich has the callers' pane above the callees'. All
 * positions are CSS pixels, before scrolling.
 */
import type { Arranged, ZoomTarget } from './flame-model';
import type { FlameView, Orientation } from './flame-view';
import { collapsedLevels } from './collapsed-callers';
import { levelsDrawn } from './frame-table';

export const ROW_PX = 18;
export const FRAME_PX = 17;
/** The height of a row of collapsed callers, with the gap below. */
export const COLLAPSED_ROW_PX = 27;
const EXTRA_PX = COLLAPSED_ROW_PX - ROW_PX;
/** The gap between two sides, and the total width below which they are one above the other. */
const SIDES_GAP_PX = 16;
export const NARROW_PX = 700;

export type Pane = {
  table: number;
  side: number;
  x: number;
  width: number;
  /** The row of level 0; further levels are below (1) or above (-1). */
  originRow: number;
  direction: 1 | -1;
  /** 1 in the callers' pane, because the callees' pane shows its level 0. */
  firstLevel: number;
  lastLevel: number;
  /** Levels with collapsed callers, ascending: their rows are taller. */
  tallLevels: readonly number[];
};

/** `height` is that of all rows, in pixels. */
export type Panes = { panes: Pane[]; rows: number; height: number };

function bandOf(
  arranged: Arranged,
  orientation: Orientation,
  levels: readonly number[],
): { rows: number; of: (table: number) => Omit<Pane, 'side' | 'x' | 'width'> } {
  const above = Math.max(0, (levels[1] ?? 1) - 1);
  const rows = above + (levels[0] ?? 1);
  const flip = orientation === 'flame';
  return {
    rows,
    of: (table) => {
      const down = (table === 0) !== flip;
      return {
        table,
        originRow: flip ? rows - 1 - above : above,
        direction: down ? 1 : -1,
        firstLevel: table === 0 ? 0 : 1,
        lastLevel: (levels[table] ?? 1) - 1,
        tallLevels: collapsedLevels(arranged.tables[table]!).filter(
          (level) => level < (levels[table] ?? 1),
        ),
      };
    },
  };
}

/** Lays out the panes in a width, with the given number of levels of each table. */
export function panesOf(
  arranged: Arranged,
  orientation: Orientation,
  width: number,
  levels: readonly number[] = arranged.tables.map(levelsDrawn),
): Panes {
  const band = bandOf(arranged, orientation, levels);
  const sides = arranged.sides.length;
  const stacked = sides > 1 && width < NARROW_PX;
  const each = stacked || sides === 1 ? width : (width - SIDES_GAP_PX) / 2;
  const panes = arranged.sides.flatMap((_, side) =>
    arranged.tables.map((__, table): Pane => {
      const pane = band.of(table);
      return {
        ...pane,
        side,
        x: stacked ? 0 : side * (each + SIDES_GAP_PX),
        width: each,
        originRow: pane.originRow + (stacked ? side * (band.rows + 1) : 0),
      };
    }),
  );
  const rows = stacked ? band.rows * sides + sides - 1 : band.rows;
  // Only a single pane has taller rows for collapsed callers.
  const tall = panes.length === 1 ? panes[0]!.tallLevels.length : 0;
  return { panes, rows, height: rows * ROW_PX + tall * EXTRA_PX };
}

function rowOf(pane: Pane, level: number): number {
  return pane.originRow + pane.direction * level;
}

/** Returns the top of a level's row, in pixels from the first row. */
export function topOf(pane: Pane, level: number): number {
  let extra = 0;
  for (const tall of pane.tallLevels)
    if (pane.direction === 1 ? tall < level : tall > level) extra += EXTRA_PX;
  return rowOf(pane, level) * ROW_PX + extra;
}

/** Returns the height of a level's frames. */
export function frameHeight(pane: Pane, level: number): number {
  return pane.tallLevels.includes(level) ? FRAME_PX + EXTRA_PX : FRAME_PX;
}

/** Returns the level whose row contains a pixel; outside the pane, a level beyond those it has. */
export function levelAt(pane: Pane, y: number): number {
  const levelOfRow = (row: number): number =>
    pane.direction === 1 ? row - pane.originRow : pane.originRow - row;
  let extra = 0;
  for (const tall of pane.direction === 1 ? pane.tallLevels : pane.tallLevels.toReversed()) {
    const top = rowOf(pane, tall) * ROW_PX + extra;
    if (y < top) break;
    if (y < top + COLLAPSED_ROW_PX) return tall;
    extra += EXTRA_PX;
  }
  return levelOfRow(Math.floor((y - extra) / ROW_PX));
}

/** The shown units at the left edge, and the pixels per shown unit. */
export type Extent = { from: number; scale: number };

/** Returns the largest width of a frame on the shown sides, so that both sides have one scale. */
export function frameWidth(arranged: Arranged, table: number, frame: number): number {
  return Math.max(...arranged.sides.map(({ placements }) => placements[table]?.width[frame] ?? 0));
}

/** Returns the frame that a span refers to: the zoomed one, or its nearest caller with a width. */
export function spanFrame(arranged: Arranged, zoom: ZoomTarget, table: number): number {
  if (zoom.table !== table) return 0;
  let frame = zoom.frame;
  while (frame > 0 && frameWidth(arranged, table, frame) <= 0)
    frame = arranged.tables[table]!.parent[frame]!;
  return frame;
}

/** Returns the visible extent of a pane. A pane whose table is not zoomed shows everything. */
export function extentOf(
  arranged: Arranged,
  pane: Pane,
  zoom: ZoomTarget,
  span: FlameView['span'],
): Extent {
  const frame = spanFrame(arranged, zoom, pane.table);
  const unit = frameWidth(arranged, pane.table, frame);
  const { from, to } = zoom.table === pane.table && span !== null ? span : { from: 0, to: 1 };
  const left = arranged.sides[pane.side]!.placements[pane.table]!.left[frame]!;
  const width = (to - from) * unit;
  return { from: left + from * unit, scale: width > 0 ? pane.width / width : 0 };
}

export type Span = { from: number; to: number };
export const WHOLE_SPAN: Span = { from: 0, to: 1 };

/** The smallest span: doubles have 52 bits, and sums of totals need some of them. */
const CLOSEST = 2 ** -40;

/**
 * Clamps a span to the table, and to the smallest width that doubles can represent.
 * @param before, after width of the table left and right of the zoomed frame, in widths of it
 */
export function clampSpan(span: Span, before: number, after: number): Span {
  const whole = before + 1 + after;
  const width = Math.min(whole, Math.max(whole * CLOSEST, span.to - span.from));
  const from = Math.max(-before, Math.min(1 + after - width, span.from));
  return { from, to: from + width };
}

/** Zooms by a factor (below 1: in) around the point at `at`, 0 to 1 of the visible width. */
export function zoomSpan(span: Span, factor: number, at: number): Span {
  const width = span.to - span.from;
  const fixed = span.from + width * at;
  return { from: fixed - width * factor * at, to: fixed + width * factor * (1 - at) };
}

/** Moves a span by a part of the visible width; positive moves right. */
export function panSpan(span: Span, part: number): Span {
  const shift = (span.to - span.from) * part;
  return { from: span.from + shift, to: span.to + shift };
}

/** Returns `before` and `after` for {@link clampSpan}. */
export function paddingAround(
  arranged: Arranged,
  zoom: ZoomTarget,
): { before: number; after: number } {
  const { table } = zoom;
  const frame = spanFrame(arranged, zoom, table);
  const unit = frameWidth(arranged, table, frame);
  if (unit <= 0) return { before: 0, after: 0 };
  const lefts = arranged.sides.map(({ placements }) => placements[table]!.left[frame]!);
  const total = frameWidth(arranged, table, 0);
  return {
    before: Math.max(...lefts) / unit,
    after: Math.max(0, (total - Math.min(...lefts) - unit) / unit),
  };
}

export function sameSpan(one: Span | null, other: Span | null): boolean {
  return (
    one === other ||
    (one !== null && other !== null && one.from === other.from && one.to === other.to)
  );
}
