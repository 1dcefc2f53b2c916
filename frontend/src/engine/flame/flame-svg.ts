/**
 * Writes a flame graph as SVG text with the same marks as the canvas. Names come from profiles and
 * are untrusted: invisible characters are shown, all texts are escaped, and attributes never
 * contain names.
 */
import { FILL, LESS_FILLS, MORE_FILLS } from '../format/change-class';
import { FRAME_PX } from './flame-viewport';
import { visibleName } from './frame-label';

/** One drawn frame. Viewers show `title` as a tooltip. */
export type SvgFrame = {
  x: number;
  y: number;
  width: number;
  /** Collapsed callers are higher than other frames. */
  height: number;
  fill: number;
  label: string;
  title: string;
  outlined: boolean;
  /** The color of the lines that mark collapsed callers; null for other frames. */
  hairlines: string | null;
};
export type SvgRest = { x: number; y: number; width: number; label: string; title: string };

type SvgColors = {
  background: string;
  text: string;
  muted: string;
  accent: string;
  more: string;
  less: string;
  onMore: string;
  onLess: string;
  hatch: string;
  noiseLine: string;
  fill: readonly string[];
  ink: readonly string[];
};

export type SvgGraph = {
  width: number;
  height: number;
  title: string;
  note: string;
  frames: readonly SvgFrame[];
  rests: readonly SvgRest[];
  colours: SvgColors;
};

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for XML. Characters that XML forbids are first replaced by visible ones. */
export function xmlText(text: string): string {
  return visibleName(text, 2000)
    .replace(/[\ufffe\uffff]/gu, '\ufffd')
    .replace(/[&<>"']/gu, (character) => ENTITIES[character] ?? '');
}

/** Returns a color of the style sheets; any value that is not clearly a color becomes gray. */
function colour(value: string): string {
  return /^(#[0-9a-f]{3,8}|[a-z]+|(rgb|hsl|oklch)a?\([0-9a-z.,%/ ]+\))$/iu.test(value)
    ? value
    : '#888888';
}

function number(value: number): string {
  return Number.isFinite(value) ? String(Math.round(value * 100) / 100) : '0';
}

function rect(x: number, y: number, width: number, height: number, attributes: string): string {
  return `<rect x="${number(x)}" y="${number(y)}" width="${number(Math.max(0, width))}" height="${number(height)}" ${attributes}/>`;
}

const isMore = (fill: number): boolean => MORE_FILLS.includes(fill);
const isLess = (fill: number): boolean => LESS_FILLS.includes(fill);
const isInCallees = (fill: number): boolean =>
  fill === FILL.moreInCallees || fill === FILL.lessInCallees;

function bar(frame: SvgFrame, colours: SvgColors): string {
  const strongest = frame.fill === FILL.more + 3 || frame.fill === FILL.less + 3;
  const weak = isInCallees(frame.fill) ? ' opacity="0.4"' : '';
  const opacity = strongest ? ' opacity="0.55"' : weak;
  if (isMore(frame.fill)) {
    return rect(
      frame.x,
      frame.y,
      frame.width,
      2,
      `fill="${colour(strongest ? colours.onMore : colours.more)}"${opacity}`,
    );
  }
  if (!isLess(frame.fill)) return '';
  const at = frame.y + frame.height - 2;
  return rect(
    frame.x,
    at,
    frame.width,
    2,
    `fill="${colour(strongest ? colours.onLess : colours.less)}"${opacity}`,
  );
}

function triangle(frame: SvgFrame, ink: string): string {
  const changed = isMore(frame.fill) || isLess(frame.fill);
  if (!changed || frame.width <= 30 || frame.hairlines !== null) return '';
  const up = isMore(frame.fill) ? 1 : -1;
  const from = Math.max(0, frame.x);
  const middle = frame.y + frame.height / 2;
  return `<path d="M${number(from + 4)} ${number(middle + 3 * up)}h7l-3.5 ${-6 * up}z" fill="${ink}" opacity="0.85"/>`;
}

function body(frame: SvgFrame, colours: SvgColors): string {
  const inner = [frame.x + 0.5, frame.y + 0.5, frame.width - 1, frame.height - 1] as const;
  if (frame.fill === FILL.onlyBase) {
    return rect(...inner, `fill="none" stroke="${colour(colours.less)}" stroke-dasharray="3 2.5"`);
  }
  const plain = rect(
    frame.x,
    frame.y,
    frame.width,
    frame.height,
    `fill="${colour(colours.fill[frame.fill] ?? '')}"`,
  );
  if (frame.fill !== FILL.onlyCandidate) return plain + bar(frame, colours);
  return plain + rect(...inner, `fill="url(#hatch)" stroke="${colour(colours.more)}"`);
}

/** Draws the three lines that distinguish collapsed callers from other frames. */
function hairlines({ x, y, width, height, hairlines: stroke }: SvgFrame): string {
  if (stroke === null) return '';
  const lines = [1, 2, 3].map(
    (at) => `M${number(x)} ${number(y + (height * at) / 4)}h${number(width)}`,
  );
  return `<path d="${lines.join('')}" stroke="${colour(stroke)}"/>`;
}

function label(frame: SvgFrame, colours: SvgColors): string {
  if (frame.label === '') return '';
  const changed = isMore(frame.fill) || isLess(frame.fill);
  const x = Math.max(0, frame.x) + (changed && frame.width > 30 ? 15 : 5);
  const ink = colour(colours.ink[frame.fill] ?? '');
  const plate =
    frame.fill === FILL.onlyCandidate || frame.hairlines !== null
      ? rect(
          x - 3,
          frame.y + 2,
          frame.label.length * 6.6 + 6,
          frame.height - 4,
          `fill="${colour(colours.fill[frame.fill] ?? '')}"`,
        )
      : '';
  return `${plate}<text x="${number(x)}" y="${number(frame.y + (frame.height + FRAME_PX) / 2 - 5)}" fill="${ink}">${xmlText(frame.label)}</text>`;
}

function frameMark(frame: SvgFrame, colours: SvgColors): string {
  const ink = colour(colours.ink[frame.fill] ?? '');
  const outline = frame.outlined
    ? rect(
        frame.x + 1,
        frame.y + 1,
        frame.width - 2,
        frame.height - 2,
        `fill="none" stroke="${colour(colours.accent)}" stroke-width="2"`,
      )
    : '';
  const title = `<title>${xmlText(frame.title)}</title>`;
  return `<g>${title}${body(frame, colours)}${hairlines(frame)}${triangle(frame, ink)}${label(frame, colours)}${outline}</g>`;
}

function restMark(rest: SvgRest, colours: SvgColors): string {
  const text =
    rest.label === ''
      ? ''
      : rect(
          Math.max(0, rest.x) + 2,
          rest.y + 2,
          rest.label.length * 6.6 + 6,
          FRAME_PX - 4,
          `fill="${colour(colours.background)}"`,
        ) +
        `<text x="${number(Math.max(0, rest.x) + 5)}" y="${number(rest.y + FRAME_PX - 5)}" fill="${colour(colours.muted)}">${xmlText(rest.label)}</text>`;
  const block = rect(rest.x, rest.y, rest.width, FRAME_PX, 'fill="url(#comb)"');
  return `<g><title>${xmlText(rest.title)}</title>${block}${text}</g>`;
}

/** Returns the text of the SVG file. */
export function flameSvg(graph: SvgGraph): string {
  const { colours } = graph;
  const height = graph.height + 20;
  const patterns =
    `<pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse"><path d="M-1 6L6 -1M-6 6L1 -1M4 6L11 -1" stroke="${colour(colours.hatch)}" stroke-width="1.2"/></pattern>` +
    `<pattern id="comb" width="3" height="3" patternUnits="userSpaceOnUse"><path d="M0.5 0v3" stroke="${colour(colours.noiseLine)}"/></pattern>`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<svg xmlns="http://www.w3.org/2000/svg" width="${number(graph.width)}" height="${number(height)}" viewBox="0 0 ${number(graph.width)} ${number(height)}" font-family="JetBrains Mono, monospace" font-size="11" xml:space="preserve">`,
    `<title>${xmlText(graph.title)}</title><defs>${patterns}</defs>`,
    rect(0, 0, graph.width, height, `fill="${colour(colours.background)}"`),
    ...graph.rests.map((rest) => restMark(rest, colours)),
    ...graph.frames.map((frame) => frameMark(frame, colours)),
    `<text x="0" y="${number(graph.height + 14)}" fill="${colour(colours.muted)}">${xmlText(graph.note)}</text>`,
    '</svg>',
    '',
  ].join('\n');
}
