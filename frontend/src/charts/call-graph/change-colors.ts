/** Colors for the fills of a diff, as CSS variables; the flame graph has the same colors. */
import { FILL, LESS_FILLS, MORE_FILLS } from '../../engine/format/change-class';

type ChangeColors = {
  fill: string;
  ink: string;
  stroke: string;
  isDashed: boolean;
  isHatched: boolean;
  /** A bar at the top for more, at the bottom for less: the change is visible without color. */
  bar: 'more' | 'less' | null;
};

const PLAIN: ChangeColors = {
  fill: 'var(--noise)',
  ink: 'var(--text)',
  stroke: 'var(--border-strong)',
  isDashed: false,
  isHatched: false,
  bar: null,
};

export function changeColors(fill: number | undefined, runtime: boolean): ChangeColors {
  if (fill === undefined) return { ...PLAIN, fill: runtime ? 'var(--noise-line)' : PLAIN.fill };
  if (fill === FILL.onlyBase)
    return { ...PLAIN, fill: 'var(--bg)', stroke: 'var(--less)', isDashed: true };
  if (fill === FILL.onlyCandidate)
    return { ...PLAIN, fill: 'var(--m1)', stroke: 'var(--more)', isHatched: true };
  if (MORE_FILLS.includes(fill)) return leveled(fill, 'm', 'more', FILL.more, FILL.moreInCallees);
  if (LESS_FILLS.includes(fill)) return leveled(fill, 'l', 'less', FILL.less, FILL.lessInCallees);
  return PLAIN;
}

function leveled(
  fill: number,
  scale: 'm' | 'l',
  bar: 'more' | 'less',
  first: number,
  inCallees: number,
): ChangeColors {
  const level = fill === inCallees ? 1 : fill - first + 1;
  const ink = level === 4 ? `var(--on-${bar})` : PLAIN.ink;
  return { ...PLAIN, fill: `var(--${scale}${level})`, ink, bar };
}

/** Returns the color of a line. The fills of the weakest changes would be too faint for it. */
export function lineColor(fill: number | undefined): string {
  if (fill === undefined) return 'var(--control)';
  if (MORE_FILLS.includes(fill)) return fill >= FILL.more + 2 ? 'var(--more)' : 'var(--m3)';
  if (LESS_FILLS.includes(fill)) return fill >= FILL.less + 2 ? 'var(--less)' : 'var(--l3)';
  return 'var(--control)';
}
