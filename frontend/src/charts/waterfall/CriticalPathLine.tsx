/** The critical path as a line through the bars in view. */
import { useMemo, type ReactElement } from 'react';
import type { CriticalPathSegment } from '../../engine/spans/waterfall-layout';
import { ROW_PX } from './SpanRow';
import type { TimeScale } from './waterfall-scale';
import css from './waterfall.module.css';

/** Distance of the line from the bottom of a row, so that the text on the bars is readable. */
const LOW_PX = 5;

type LineProps = {
  lines: readonly CriticalPathSegment[][];
  scale: TimeScale;
  /** Rows in view: the first, and one past the last. */
  first: number;
  last: number;
};

export function CriticalPathLine({ lines, scale, first, last }: LineProps): ReactElement {
  const paths = useMemo(
    () => lines.map((line) => pathOf(line, scale, first, last)),
    [lines, scale, first, last],
  );
  return (
    <svg
      className={css.critical}
      style={{ top: first * ROW_PX, height: Math.max(0, last - first) * ROW_PX }}
      viewBox={`0 0 ${scale.widthPx} ${Math.max(1, last - first) * ROW_PX}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path className={css.across} d={paths.map(({ across }) => across).join('')} />
      <path d={paths.map(({ along }) => along).join('')} />
    </svg>
  );
}

function pathOf(
  line: readonly CriticalPathSegment[],
  scale: TimeScale,
  first: number,
  last: number,
): { along: string; across: string } {
  const x = (ns: number) => (scale.clamped(ns) * scale.widthPx).toFixed(1);
  const y = (place: number) => (place - first) * ROW_PX + ROW_PX - LOW_PX;
  const inTime = (from: number, to: number) => to >= scale.fromNs && from <= scale.toNs;
  let along = '';
  let across = '';
  line.forEach(({ place, from, to }, at) => {
    if (inTime(from, to) && place >= first && place < last)
      along += `M${x(from)} ${y(place)}H${x(to)}`;
    const next = line[at + 1];
    if (!next || !inTime(to, next.from)) return;
    const [top, bottom] = [Math.min(place, next.place), Math.max(place, next.place)];
    // A connection between rows out of view is not drawn, as it would only cross all rows.
    if (bottom < first || top >= last || (top < first && bottom >= last)) return;
    const upper = y(Math.max(top, first - 1));
    const lower = y(Math.min(bottom, last));
    across += `M${x(next.from)} ${upper}V${lower}`;
  });
  return { along, across };
}
