/**
 * Which changes of a view are separate history steps, and which (a drag, a keystroke) replace the
 * current one. No side effects.
 */
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

/**
 * Whether a change of the search is a step. The start and the end of a search are; what is typed in
 * between replaces the entry. A click on a row searches for its exact name and is a step.
 */
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
