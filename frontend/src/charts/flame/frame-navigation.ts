/** Moves the keyboard cursor: to the widest callee, the caller, or the neighbors on the level. */
import type { Arranged } from '../../engine/flame/flame-model';
import type { Pane } from '../../engine/flame/flame-viewport';
import { frameWidth } from '../../engine/flame/flame-viewport';
import { levelOf } from '../../engine/flame/frame-table';

export type FrameCursor = { table: number; frame: number };
export type Step = 'up' | 'down' | 'left' | 'right';

function widestChild(arranged: Arranged, table: number, frame: number): number {
  const frames = arranged.tables[table]!;
  let best = -1;
  let width = 0;
  for (let child = frames.childStart[frame]!; child < frames.childStart[frame + 1]!; child++) {
    const wide = frameWidth(arranged, table, child);
    if (wide <= width) continue;
    best = child;
    width = wide;
  }
  return best;
}

function neighbour(
  arranged: Arranged,
  { table, frame }: FrameCursor,
  by: 1 | -1,
): FrameCursor | null {
  const frames = arranged.tables[table]!;
  const level = levelOf(frames, frame);
  const first = frames.levelStart[level]!;
  const end = frames.levelStart[level + 1]!;
  for (let at = frame + by; at >= first && at < end; at += by) {
    if (frameWidth(arranged, table, at) > 0) return { table, frame: at };
  }
  return null;
}

/**
 * Returns the frame one step from the cursor, or null at an end.
 * @param panes of the arrangement, for which way is down.
 */
export function stepCursor(
  arranged: Arranged,
  panes: readonly Pane[],
  cursor: FrameCursor,
  step: Step,
): FrameCursor | null {
  if (step === 'left' || step === 'right')
    return neighbour(arranged, cursor, step === 'left' ? -1 : 1);
  const { table, frame } = cursor;
  const direction = panes.find((pane) => pane.table === table)?.direction ?? 1;
  const inwards = (step === 'down') === (direction === 1);
  if (inwards) {
    const child = widestChild(arranged, table, frame);
    return child < 0 ? null : { table, frame: child };
  }
  if (frame > 0) {
    const parent = arranged.tables[table]!.parent[frame]!;
    return { table: parent === 0 ? 0 : table, frame: parent };
  }
  if (arranged.tables.length < 2) return null;
  // From the middle of a sandwich, the callers are in the other direction.
  const caller = widestChild(arranged, 1, 0);
  return caller < 0 ? null : { table: 1, frame: caller };
}

/** Returns the next or previous match of a search in drawing order; wraps around at the ends. */
export function nextMatch(
  arranged: Arranged,
  cursor: FrameCursor | null,
  by: 1 | -1,
): FrameCursor | null {
  const names = arranged.hits?.[0]?.names;
  const frames = arranged.tables[0];
  if (names === undefined || frames === undefined) return null;
  const from = cursor?.table === 0 ? cursor.frame : 0;
  for (let step = 1; step <= frames.count; step++) {
    const at = (from + by * step + frames.count * 2) % frames.count;
    if (at > 0 && names[frames.name[at]!] === 1 && frameWidth(arranged, 0, at) > 0)
      return { table: 0, frame: at };
  }
  return null;
}
