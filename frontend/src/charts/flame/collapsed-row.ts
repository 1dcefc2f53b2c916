/** Draws the row of collapsed callers: three thin lines, their number, two names and *Expand*. */
import { FILL, LESS_FILLS } from '../../engine/format/change-class';
import type { Palette } from './flame-palette';
import type { CollapsedLabel } from './frame-description';

type RowBox = { x: number; y: number; width: number; height: number };

/** Below this width only the number of callers fits. */
const NAMES_FROM_PX = 320;
const EXPAND_FROM_PX = 240;
const EXPAND_PX = 70;
/** Positions of the thin lines, from the top. */
const HAIRLINES_PX = [8.5, 14.5, 20.5] as const;
const WORDS_PX = 24;

/** Cuts a text at its end to `most` characters; '' if fewer than four fit. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  return most < 4 ? '' : `${text.slice(0, most - 1)}…`;
}

export function hairlineColour(palette: Pick<Palette, 'fill'>, fill: number): string {
  return (
    palette.fill[
      (LESS_FILLS.includes(fill) || fill === FILL.onlyBase ? FILL.less : FILL.more) + 1
    ] ?? ''
  );
}

export function drawCollapsed(
  context: CanvasRenderingContext2D,
  { x, y, width, height }: RowBox,
  { words, names }: CollapsedLabel,
  palette: Palette,
  fill: number,
): void {
  const ground = palette.fill[fill]!;
  context.fillStyle = hairlineColour(palette, fill);
  for (const line of HAIRLINES_PX) context.fillRect(x, y + line, width, 1);
  const plate = (from: number, to: number): void => {
    context.fillStyle = ground;
    context.fillRect(from, y + 4, to - from, height - 6);
  };
  const code = context.font;
  const strong = `600 12px system-ui, sans-serif`;
  const baseline = y + height / 2 + 4.5;
  context.font = strong;
  const expands = width >= EXPAND_FROM_PX;
  const room = width - WORDS_PX - (expands ? EXPAND_PX : 0) - 8;
  const label = context.measureText(words).width <= room ? words : (words.split(',')[0] ?? '');
  const end = x + WORDS_PX + context.measureText(label).width;
  context.font = code;
  const perCharacter = Math.max(1, context.measureText('0').width);
  const shownNames =
    width >= NAMES_FROM_PX
      ? cutText(` · ${names}`, (x + WORDS_PX + room - end) / perCharacter)
      : '';
  plate(x + 4, end + context.measureText(shownNames).width + 6);
  context.fillStyle = palette.text;
  context.fillText(shownNames, end, baseline);
  context.font = strong;
  context.fillText(label, x + WORDS_PX, baseline);
  drawChevron(context, x + 8, y + height / 2, palette.text);
  if (expands) {
    plate(x + width - EXPAND_PX, x + width - 6);
    context.fillStyle = palette.accent;
    context.fillText('Expand', x + width - EXPAND_PX + 12, baseline);
  }
  context.font = code;
}

function drawChevron(
  context: CanvasRenderingContext2D,
  x: number,
  middle: number,
  colour: string,
): void {
  context.strokeStyle = colour;
  context.lineWidth = 1.4;
  context.beginPath();
  context.moveTo(x, middle - 2);
  context.lineTo(x + 4, middle + 2);
  context.lineTo(x + 8, middle - 2);
  context.stroke();
}
