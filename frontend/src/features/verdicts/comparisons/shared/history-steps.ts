/** What of a change is a step that Back takes back, and what only the way there: a drag, a keystroke. Pure. */
import type { FlameView } from '../../../../engine/flame/flame-view';

/** Choices made by a click or a key, each a separate history step. */
const SELECTION_FIELDS = [
  'mode',
  'basis',
  'granularity',
  'zoom',
  'sandwich',
  'focus',
  'ignore',
  'hide',
  'collapseRecursion',
  'collapseCallers',
  'expanded',
] as const;

const isExact = (pattern: string): boolean => pattern.startsWith('^') && pattern.endsWith('$');

/** A search begins and ends as a step; what is typed in between replaces itself. A clicked row is searched exactly. */
function isSearchStep(before: string, after: string): boolean {
  if (before === after) return false;
  return before === '' || after === '' || isExact(after);
}

export function isFlameStep(before: FlameView, after: FlameView): boolean {
  return (
    SELECTION_FIELDS.some((field) => before[field] !== after[field]) ||
    isSearchStep(before.search.pattern, after.search.pattern)
  );
}
