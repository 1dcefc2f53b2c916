/** Styles of the occupants of Ps: a fill with a pattern, so that none differs by color alone. */
import type { OccupantPattern } from '../../engine/timeline/p-occupancy';
import type { TokenName, Tokens } from './color-tokens';

type Pattern = 'none' | 'slash' | 'backslash' | 'dots' | 'lines' | 'stripes';

type PatternStyle = {
  /** Null if there is no fill. */
  fill: TokenName | null;
  pattern: Pattern;
  ink: TokenName;
  outline: TokenName | null;
  dashed?: boolean;
};

export const PATTERN_STYLES: Record<OccupantPattern, PatternStyle> = {
  culprit: { fill: 'm2', pattern: 'slash', ink: 'more', outline: 'more' },
  user1: { fill: 'c2', pattern: 'none', ink: 'bg', outline: null },
  user2: { fill: 'c5', pattern: 'dots', ink: 'bg', outline: null },
  user3: { fill: 'q1', pattern: 'backslash', ink: 'q2', outline: null },
  others: { fill: 'noise-line', pattern: 'backslash', ink: 'control', outline: null },
  gc: { fill: 'c3', pattern: 'lines', ink: 'bg', outline: null },
  stop: { fill: 'text-2', pattern: 'none', ink: 'bg', outline: null },
  syscall: { fill: 'surface', pattern: 'stripes', ink: 'control', outline: 'control' },
  runtime: { fill: 'noise-line', pattern: 'dots', ink: 'bg', outline: null },
  idle: { fill: 'noise', pattern: 'none', ink: 'bg', outline: null },
  unknown: { fill: null, pattern: 'none', ink: 'control', outline: 'control', dashed: true },
  self: { fill: 'accent', pattern: 'none', ink: 'on-accent', outline: null },
};

/** Side of the tile of a pattern in CSS pixels; it repeats without a seam. */
export const TILE_PX = 6;

/** The path that is stroked in a tile. */
export const STROKES: Record<Exclude<Pattern, 'none' | 'dots'>, string> = {
  slash: 'M-1 1L1 -1M0 6L6 0M5 7L7 5',
  backslash: 'M-1 5L1 7M0 0L6 6M5 -1L7 1',
  lines: 'M0 1.5H6M0 4.5H6',
  stripes: 'M1.5 0V6M4.5 0V6',
};

/** Returns the fills of a canvas; they are made once per color scheme. */
export function canvasFills(
  context: CanvasRenderingContext2D,
  tokens: Tokens,
  scale: number,
): Record<OccupantPattern, string | CanvasPattern | null> {
  const fillOf = ({ fill, pattern, ink }: PatternStyle): string | CanvasPattern | null => {
    if (fill === null) return null;
    if (pattern === 'none') return tokens[fill];
    const tile = document.createElement('canvas');
    tile.width = TILE_PX * scale;
    tile.height = TILE_PX * scale;
    const drawing = tile.getContext('2d');
    if (!drawing) return tokens[fill];
    drawing.scale(scale, scale);
    drawing.fillStyle = tokens[fill];
    drawing.fillRect(0, 0, TILE_PX, TILE_PX);
    if (pattern === 'dots') {
      drawing.fillStyle = tokens[ink];
      drawing.fillRect(1, 1, 1.4, 1.4);
      drawing.fillRect(4, 4, 1.4, 1.4);
    } else {
      drawing.strokeStyle = tokens[ink];
      drawing.lineWidth = 1.1;
      drawing.stroke(new Path2D(STROKES[pattern]));
    }
    const made = context.createPattern(tile, 'repeat');
    made?.setTransform(new DOMMatrix().scale(1 / scale));
    return made ?? tokens[fill];
  };
  const looks = Object.entries(PATTERN_STYLES) as [OccupantPattern, PatternStyle][];
  return Object.fromEntries(looks.map(([paint, look]) => [paint, fillOf(look)])) as Record<
    OccupantPattern,
    string | CanvasPattern | null
  >;
}
