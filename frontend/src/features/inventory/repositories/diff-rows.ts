/** The lines of a diff with their line numbers on both sides. */
import type { FileDiff } from '../../../api';

type DiffLine = {
  kind: 'same' | 'added' | 'removed';
  before: number | null;
  after: number | null;
  text: string;
};

export function linesOf({ old_start, new_start, lines }: FileDiff['hunks'][number]): DiffLine[] {
  let before = old_start;
  let after = new_start;
  return lines.map((line) => {
    const text = line.slice(1);
    if (line.startsWith('+')) return { kind: 'added', before: null, after: after++, text };
    if (line.startsWith('-')) return { kind: 'removed', before: before++, after: null, text };
    return { kind: 'same', before: before++, after: after++, text };
  });
}
