/**
 * One moment for all panels. Panels listen; the publisher of the cursor sends an index of the shared grid. Moves
 * within one frame
 * are one move, and all listeners are called in the same frame, so that no two panels ever show different times.
 */

type Brush = { from: number; to: number };
export type CursorState = {
  /** Grid index; null = no cursor. */
  index: number | null;
  /** What is being selected, as indexes in any order; null = nothing. */
  brush: Brush | null;
  /** Set by keys: stays when the pointer leaves. */
  pinned: boolean;
};
type CursorListener = (state: Readonly<CursorState>) => void;
type Schedule = (run: () => void) => unknown;

export class CursorBus {
  #state: CursorState = { index: null, brush: null, pinned: false };
  #listeners = new Set<CursorListener>();
  #points: number;
  #waiting = false;
  readonly #schedule: Schedule;

  /** @param schedule runs a function at the next frame. */
  constructor(points: number, schedule: Schedule) {
    this.#points = points;
    this.#schedule = schedule;
  }

  get state(): Readonly<CursorState> {
    return this.#state;
  }

  /** Another grid: an index beyond it moves to its end. */
  resize(points: number): void {
    this.#points = points;
    const { index } = this.#state;
    if (index !== null) this.#change({ index: this.#within(index) });
  }

  /** The listener is called with the state at once, then with every change. */
  listen(heard: CursorListener): () => void {
    this.#listeners.add(heard);
    heard(this.#state);
    return () => {
      this.#listeners.delete(heard);
    };
  }

  move(index: number | null, pinned = false): void {
    this.#change({ index: index === null ? null : this.#within(index), pinned });
  }

  /** By keys, from where the cursor is; without one from the newest time. */
  step(by: number): void {
    this.move((this.#state.index ?? this.#points) + by, true);
  }

  /** The pointer has left; what keys have set stays. */
  leave(): void {
    if (!this.#state.pinned) this.#change({ index: null });
  }

  brush(brush: Brush | null): void {
    this.#change({
      brush: brush && { from: this.#within(brush.from), to: this.#within(brush.to) },
    });
  }

  #within(index: number): number {
    return Math.max(0, Math.min(this.#points - 1, Math.round(index)));
  }

  #change(change: Partial<CursorState>): void {
    const before = this.#state;
    const after = { ...before, ...change };
    if (
      after.index === before.index &&
      after.pinned === before.pinned &&
      after.brush?.from === before.brush?.from &&
      after.brush?.to === before.brush?.to
    )
      return;
    this.#state = after;
    if (this.#waiting) return;
    this.#waiting = true;
    this.#schedule(() => {
      this.#waiting = false;
      for (const heard of [...this.#listeners]) heard(this.#state);
    });
  }
}

/** A selection in order, or null where it is too short to mean anything. */
export function selectedTimeOf(brush: Brush | null, least = 2): Brush | null {
  if (!brush) return null;
  const [from, to] = [Math.min(brush.from, brush.to), Math.max(brush.from, brush.to)];
  return to - from >= least ? { from, to } : null;
}
