/**
 * Positions of labels beside vertical lines: left or right of the line, in a few rows. Labels do
 * not overlap; a label without space is omitted.
 */

type LabelRequest = {
  id: string;
  /** The x of the line, in pixels. */
  x: number;
  text: string;
  /** Replaces `text` if it does not fit; without it, the label is then omitted. */
  short?: string;
  prefer: 'left' | 'right';
};
export type LabelPosition = {
  id: string;
  x: number;
  anchor: 'start' | 'end';
  row: number;
  short: boolean;
};
type Bounds = { left: number; right: number; rows: number };

const GAP_PX = 7;
/** The width of a letter at 11 px: a little more than the mean, measured over our own labels. */
const LETTER_PX = 6.1;

/** Returns the width of a label with the space beside its line, in pixels. */
export const labelWidth = (text: string): number => GAP_PX + text.length * LETTER_PX;

/** Places labels in the given order; earlier ones have priority. */
export function placeLabels(requests: readonly LabelRequest[], bounds: Bounds): LabelPosition[] {
  const taken: { from: number; to: number; row: number }[] = [];
  const placed: LabelPosition[] = [];
  for (const { id, x, text, short, prefer } of requests) {
    const sides = prefer === 'left' ? (['left', 'right'] as const) : (['right', 'left'] as const);
    const forms = short === undefined ? [text] : [text, short];
    const found = forms
      .flatMap((form) =>
        rowsOf(bounds.rows).flatMap((row) =>
          sides.map((side) => ({
            row,
            short: form !== text,
            ...edges(side, x, form.length * LETTER_PX),
          })),
        ),
      )
      .find(
        ({ from, to, row }) =>
          from >= bounds.left &&
          to <= bounds.right &&
          taken.every((other) => other.row !== row || other.to <= from || other.from >= to),
      );
    if (!found) continue;
    taken.push(found);
    placed.push({ id, x: found.at, anchor: found.anchor, row: found.row, short: found.short });
  }
  return placed;
}

const rowsOf = (count: number): number[] => Array.from({ length: count }, (_, row) => row);

function edges(side: 'left' | 'right', x: number, width: number) {
  return side === 'left'
    ? { from: x - GAP_PX - width, to: x, at: x - GAP_PX, anchor: 'end' as const }
    : { from: x, to: x + GAP_PX + width, at: x + GAP_PX, anchor: 'start' as const };
}
